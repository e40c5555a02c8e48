// Buffers of equal size, one for each partition or range of numbers. The host writes a buffer to disk when it is full.

let buffers: u32 = 0;
let bufferBytes: u32 = 0;
/** Bytes in each buffer, u32 each. */
let fills: u32 = 0;
let full: u32 = 0;

/** Begins with `count` empty buffers of `bytes` bytes from `address` on, then a u32 for each. Returns one past them. */
export function spillBuffers(count: u32, address: u32, bytes: u32): u32 {
  buffers = address;
  bufferBytes = bytes;
  fills = address + bytes * count;
  memory.fill(fills, 0, count << 2);
  return fills + (count << 2);
}

/** The address of `bytes` new bytes in a buffer; 0 if they do not fit, so that it is the one of `spillFullBuffer`. */
export function reserve(buffer: u32, bytes: u32): u32 {
  const fill = load<u32>(fills + (buffer << 2));
  if (fill + bytes > bufferBytes) {
    full = buffer;
    return 0;
  }
  store<u32>(fills + (buffer << 2), fill + bytes);
  return buffers + buffer * bufferBytes + fill;
}

/** Gives back the last bytes that were reserved in a buffer. */
export function giveBack(buffer: u32, bytes: u32): void {
  store<u32>(fills + (buffer << 2), load<u32>(fills + (buffer << 2)) - bytes);
}

export function spillFullBuffer(): u32 {
  return full;
}

/** The bytes in a buffer. */
export function spillFill(buffer: u32): u32 {
  return load<u32>(fills + (buffer << 2));
}

export function spillEmpty(buffer: u32): void {
  store<u32>(fills + (buffer << 2), 0);
}
