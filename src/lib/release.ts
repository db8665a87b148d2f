/** Below this the collector is told too little to be worth it. */
const large = 64 * 1024

/** Memory that serves nothing but what is cut from it. */
const claimed = new WeakSet<ArrayBufferLike>()

/** Says that the memory of these bytes belongs to whoever gets a part of them: with that part it may be given back. */
export function claim(bytes: Uint8Array): void {
  if (bytes.byteLength >= large) claimed.add(bytes.buffer)
}

/**
 * Gives the memory of bytes back at once, for whoever is the last to hold them. Node's collector only learns of large
 * buffers by their sum, and then walks the whole heap for each 32 to 64 MB of them: at thousands of pages a second that
 * took four times as long as reading them. Bytes that are a part of something larger are left alone, unless it is claimed.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength < large) return
  if (bytes.byteLength !== buffer.byteLength && !claimed.has(buffer)) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
