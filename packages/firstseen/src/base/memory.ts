// Memory sizes in text form.

import { parseMeasure } from './number.js';

/**
 * Bytes of each unit, in lowercase. As in GNU `sort -S` and `dd`, M and MiB are 2^20 bytes, and MB is a million. Mi is that of
 * Kubernetes and systemd.
 */
const bytesPerUnit: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  ...Object.fromEntries(
    ['k', 'm', 'g', 't'].flatMap((letter, i) => {
      const binary = 1024 ** (i + 1);
      return [
        [letter, binary],
        [`${letter}i`, binary],
        [`${letter}ib`, binary],
        [`${letter}b`, 1000 ** (i + 1)],
      ];
    }),
  ),
};

/**
 * Bytes of a size such as `65536`, `64MiB`, `64Mi`, `64M`, `64MB`, `1.5GiB` or `1e6`; a number without a unit is bytes. Upper and
 * lower case are the same. Undefined if it is not a size, or neither a number nor text.
 */
export function parseBytes(size: unknown): number | undefined {
  if (typeof size !== 'number' && typeof size !== 'string') return undefined;
  const measure = parseMeasure(String(size));
  if (measure === undefined || measure.value < 0) return undefined;
  const bytes = Math.floor(measure.value * (bytesPerUnit[measure.unit.toLowerCase()] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const shownUnits = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const;

/** A number of bytes in the largest unit that it fills: 64MiB, 1.5GiB, 100B. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of shownUnits) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))}${unit}`;
  }
  return `${bytes}B`;
}
