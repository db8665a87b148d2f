import { crc32, deflateSync } from 'node:zlib'

/** Small images, and what somebody could send in their place. */

const chunk = (name: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

export const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

/** One colour; `more` are chunks before the data. */
export function png(width: number, height: number, more: [string, Buffer][] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits of grey.
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header),
    ...more.map(([name, data]) => chunk(name, data)),
    chunk('IDAT', deflateSync(Buffer.alloc(Math.min(height * (width + 1), 1 << 20)))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** 2 × 1 pixels, encoded by Chromium; without its colour profile. */
export const jpeg = Buffer.from(
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAABAAIDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYBRFf/9k=',
  'base64',
)
export const webp = Buffer.from(
  'UklGRjIAAABXRUJQVlA4ICYAAACQAQCdASoCAAEABABoJaACdLoAA5gA/uHDf4cqfTt7HhtVZLQAAA==',
  'base64',
)
export const losslessWebp = Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvAQAAAAdQs86Uuf+BiOh/AAA=', 'base64')
/** The extended format, with transparency. */
export const extendedWebp = Buffer.from(
  'UklGRlAAAABXRUJQVlA4WAoAAAAQAAAAAQAAAAAAQUxQSAMAAAAAAP8AVlA4ICYAAACQAQCdASoCAAEABABoJaACdLoAA5gA/uHDf4cqfTt7HhtVZLQAAA==',
  'base64',
)

export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
export const page = Buffer.from('<!doctype html><script>alert(1)</script>')
export const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
