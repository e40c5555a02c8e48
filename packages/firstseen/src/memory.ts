// Memory sizes in text form.

const units: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes of a size such as `65536`, `64MiB` or `1.5GiB`; a number without a unit is bytes. Undefined if it is not a size. */
export function parseBytes(size: number | string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB)?$/.exec(String(size));
  const bytes = Math.floor(Number(match?.[1]) * (units[match?.[2] ?? ''] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A number of bytes in the largest unit that it fills: 64MiB, 1.5GiB, 100B. */
export function formatBytes(bytes: number): string {
  for (const unit of ['GiB', 'MiB', 'KiB'] as const) {
    const size = units[unit] as number;
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))}${unit}`;
  }
  return `${bytes}B`;
}
