import { crc32 } from 'node:zlib'

/**
 * Reads the type and the size of a still PNG, JPEG or WebP image from its bytes. The whole container is walked: a file that
 * only begins like an image, or goes on after its end, is none.
 */
export interface Image {
  type: 'image/png' | 'image/jpeg' | 'image/webp'
  width: number
  height: number
}

/** Null for anything else. */
export function readImage(bytes: Buffer): Image | null {
  try {
    return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  } catch (error) {
    // A read beyond the end: the file is cut off.
    if (error instanceof RangeError) return null
    throw error
  }
}

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

/** https://www.w3.org/TR/png-3/#5DataRep */
function readPng(bytes: Buffer): Image | null {
  if (!bytes.subarray(0, 8).equals(pngSignature)) return null
  if (bytes.toString('latin1', 12, 16) !== 'IHDR' || bytes.readUInt32BE(8) !== 13) return null
  let hasData = false
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4))) return null
    // acTL makes it an animation.
    if (name === 'acTL') return null
    if (name === 'IDAT') hasData = true
    if (name === 'IEND') {
      const whole = end === bytes.length && hasData
      return whole
        ? { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : null
    }
    at = end
  }
  return null
}

/** Start of frame: baseline, extended and progressive. Browsers show no other kind. */
const frames = [0xc0, 0xc1, 0xc2]
const endOfImage = 0xd9
const startOfScan = 0xda

/** ITU T.81 §B.1. */
function readJpeg(bytes: Buffer): Image | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null
  let size: Pick<Image, 'width' | 'height'> | null = null
  for (let at = 2; at < bytes.length; ) {
    if (bytes.readUInt8(at) !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === endOfImage) {
      return size && at + 2 === bytes.length
        ? { type: 'image/jpeg', width: size.width, height: size.height }
        : null
    }
    const length = bytes.readUInt16BE(at + 2)
    if (length < 2) return null
    if (frames.includes(marker)) {
      if (size) return null
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    }
    at += 2 + length
    if (marker === startOfScan) at = endOfScan(bytes, at)
  }
  return null
}

/** The next marker after compressed data; a stuffed zero and the restart markers belong to the data. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(bytes: Buffer): Image | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  if (bytes.readUInt32LE(4) + 8 !== bytes.length) return null
  const sizes: Pick<Image, 'width' | 'height'>[] = []
  let pictures = 0
  let at = 12
  while (at < bytes.length) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const data = bytes.subarray(at + 8, at + 8 + length)
    if (data.length < length || name === 'ANIM' || name === 'ANMF') return null
    const read = webpSizes[name]
    if (read) sizes.push(read(data))
    if (name === 'VP8 ' || name === 'VP8L') pictures += 1
    // Chunks have even lengths.
    at += 8 + length + (length % 2)
  }
  if (at !== bytes.length || pictures !== 1) return null
  // Of the canvas and the picture in it.
  const width = Math.max(...sizes.map(each => each.width))
  return { type: 'image/webp', width, height: Math.max(...sizes.map(each => each.height)) }
}

const webpSizes: Record<string, (data: Buffer) => Pick<Image, 'width' | 'height'>> = {
  VP8X: data => ({ width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }),
  'VP8 ': data => ({ width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }),
  VP8L: data => {
    const bits = data.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
}
