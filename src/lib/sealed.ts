import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const [saltBytes, ivBytes, tagBytes, keyBytes] = [16, 12, 16, 32]

/** RFC 5869; the secret must be random, as codes and tokens are. */
const keyOf = (secret: string, salt: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, 'tillgate sealed answer', keyBytes))

/** Encrypts a text so that only the holder of the secret can read it; `about` must be the same for both. */
export function seal(text: string, secret: string, about: string): string {
  const [salt, iv] = [randomBytes(saltBytes), randomBytes(ivBytes)]
  const cipher = createCipheriv(algorithm, keyOf(secret, salt), iv, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(about))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), encrypted]).toString('base64url')
}

/** Throws when the text was sealed with another secret, about something else, or was altered. */
export function open(sealed: string, secret: string, about: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const [ivStart, tagStart, start] = [saltBytes, saltBytes + ivBytes, saltBytes + ivBytes + tagBytes]
  const decipher = createDecipheriv(
    algorithm,
    keyOf(secret, bytes.subarray(0, ivStart)),
    bytes.subarray(ivStart, tagStart),
    { authTagLength: tagBytes },
  )
  decipher.setAAD(Buffer.from(about))
  decipher.setAuthTag(bytes.subarray(tagStart, start))
  return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]).toString('utf8')
}
