/** Smaller buffers hardly affect the garbage collector. */
const large = 64 * 1024

/** Buffers whose slices may release them. */
const claimed = new WeakSet<ArrayBufferLike>()

/** Allows `release` of a slice to free the whole buffer, for buffers that hold only one value. */
export function claim(bytes: Uint8Array): void {
  if (bytes.byteLength >= large) claimed.add(bytes.buffer)
}

/**
 * Frees the memory of bytes that nothing else uses any more. V8 otherwise starts a full collection for each 32 to 64 MB
 * of buffers, which takes four times as long as reading the pages. A slice of a larger buffer stays, unless it is claimed.
 */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes
  if (bytes.byteLength < large) return
  if (bytes.byteLength !== buffer.byteLength && !claimed.has(buffer)) return
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
