// Sizes and scales in the notation of the papers.

const KB = 2 ** 10;
const MB = 2 ** 20;

/** `64MB`, with MB and KB powers of two as in the papers. */
export function memoryText(bytes: number): string {
  if (bytes >= MB) return `${bytes / MB}MB`;
  return bytes >= KB ? `${bytes / KB}KB` : `${bytes}B`;
}

/** `1/32` for a power of two below 1. */
export function scaleText(scale: number): string {
  return scale === 1 ? '1' : `1/${1 / scale}`;
}
