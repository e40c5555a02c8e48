import type { FileHandle } from 'node:fs/promises';

/** Fills bytes from a file, as far as it goes. Returns their number. @param position that of the file by default */
export async function fillFrom(file: FileHandle, target: Uint8Array, position?: number): Promise<number> {
  let filledBytes = 0;
  for (let bytesRead = 1; bytesRead > 0 && filledBytes < target.length; filledBytes += bytesRead) {
    const at = position === undefined ? null : position + filledBytes;
    ({ bytesRead } = await file.read(target, filledBytes, target.length - filledBytes, at));
  }
  return filledBytes;
}
