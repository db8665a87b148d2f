/** Below this the collector is told too little to be worth it. */
const large = 64 * 1024

/**
 * Gives the memory of bytes back at once, for whoever is the last to hold them. Node's collector only learns of large
 * buffers by their sum, and then walks the whole heap for each 32 to 64 MB of them: at thousands of pages a second that
 * took four times as long as reading them. Bytes that are a part of something larger are left alone.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength < large || bytes.byteLength !== buffer.byteLength) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
