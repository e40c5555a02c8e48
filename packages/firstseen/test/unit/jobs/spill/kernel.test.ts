import { describe, expect, test } from 'vitest';
import {
  RANKED_ENTRY_BYTES,
  SECRET_OFFSET,
  SPILL_ENTRY_BYTES,
  SPILL_RECENT_ENTRIES,
  TALLY_PAIR_BYTES,
  UNCHOSEN,
} from '../../../../src/kernel/abi.js';
import { Kernel, wholeCacheLines } from '../../../../src/kernel/kernel.js';
import {
  referenceBest,
  referenceRank,
  referenceScatter,
  referenceSettle,
  referenceTally,
  type SpillEntry,
} from '../../../reference/spill.js';
import { kernelModules, kernelNames } from '../../../support/kernels.js';

const PARTITION_BITS = 3;
const BUFFER_BYTES = 64 * SPILL_ENTRY_BYTES;
const RECENT_BYTES = SPILL_RECENT_ENTRIES * SPILL_ENTRY_BYTES;
const SEED = 0xfeedfacecafebeefn;
const SECRET = Uint8Array.from({ length: 16 }, (_, i) => 17 * i + 3);

/** Keys of all lengths up to 70, of which many repeat, some at once. */
function keysOf(count: number): Uint8Array[] {
  let draw = 12345;
  const next = () => {
    draw = (draw * 48271) % 2147483647;
    return draw;
  };
  const keys: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const value = next() % 5 === 0 ? 7 : next() % 700;
    keys.push(new TextEncoder().encode(`${value}${'x'.repeat(value % 70)}`));
  }
  return keys;
}

async function kernelFor(module: WebAssembly.Module, secret?: Uint8Array): Promise<Kernel> {
  const cellsBytes = 2 ** PARTITION_BITS * (BUFFER_BYTES + 4) + RECENT_BYTES;
  const kernel = await Kernel.create({ cellsBytes, regionBytes: 2 ** 20, module });
  kernel.writeParameters({ layout: 0, seed: SEED, isKeyed: secret !== undefined });
  if (secret) kernel.bytes.set(secret, SECRET_OFFSET);
  return kernel;
}

/** Places keys after the cells, and their spans in the batch. */
function placeKeys(kernel: Kernel, keys: readonly Uint8Array[]): void {
  let at = kernel.regionOffset;
  for (const [i, key] of keys.entries()) {
    kernel.bytes.set(key, at);
    kernel.spans.set([at, at + key.length], 2 * i);
    at += key.length;
  }
}

function entriesIn(kernel: Kernel, offset: number, bytes: number): SpillEntry[] {
  const view = new DataView(kernel.bytes.buffer, offset, bytes);
  return Array.from({ length: bytes / SPILL_ENTRY_BYTES }, (_, i) => ({
    first: view.getBigUint64(i * SPILL_ENTRY_BYTES, true),
    second: view.getBigUint64(i * SPILL_ENTRY_BYTES + 8, true),
  }));
}

function takeBuffer(kernel: Kernel, partition: number): SpillEntry[] {
  const entries = entriesIn(kernel, kernel.cellsOffset + partition * BUFFER_BYTES, kernel.exports.spillFill(partition));
  kernel.exports.spillEmpty(partition);
  return entries;
}

/** Scatters a key for each text, ranked by it; returns the ranks in the entries. */
function ranksOf(kernel: Kernel, texts: readonly string[]): Uint8Array[] {
  kernel.exports.spillBegin(1, kernel.cellsOffset, BUFFER_BYTES, false, true);
  const rankSpans = new Uint32Array(kernel.bytes.buffer, kernel.times.byteOffset, 2);
  return texts.map((text) => {
    const rank = new TextEncoder().encode(text);
    placeKeys(kernel, [rank]);
    rankSpans.set([kernel.regionOffset, kernel.regionOffset + rank.length]);
    expect(kernel.exports.spillScatter(0, 1, 1)).toBe(1);
    const [found = 0] = [0, 1].filter((partition) => kernel.exports.spillFill(partition) > 0);
    const start = kernel.cellsOffset + found * BUFFER_BYTES;
    const length = new DataView(kernel.bytes.buffer).getUint32(start + SPILL_ENTRY_BYTES, true);
    expect(kernel.exports.spillFill(found)).toBe(RANKED_ENTRY_BYTES + 8 * Math.ceil(length / 8));
    kernel.exports.spillEmpty(found);
    return kernel.bytes.slice(start + RANKED_ENTRY_BYTES, start + RANKED_ENTRY_BYTES + length);
  });
}

/** Scatters all keys in batches of the given sizes. */
function scatter(kernel: Kernel, keys: readonly Uint8Array[], batch: number, skipsRecent = true): SpillEntry[][] {
  const partitions: SpillEntry[][] = Array.from({ length: 2 ** PARTITION_BITS }, () => []);
  kernel.exports.spillBegin(PARTITION_BITS, kernel.cellsOffset, BUFFER_BYTES, skipsRecent, false);
  for (let start = 0; start < keys.length; start += batch) {
    const taken = keys.slice(start, start + batch);
    placeKeys(kernel, taken);
    for (let from = 0; ; ) {
      from = kernel.exports.spillScatter(from, taken.length, start + from + 1);
      if (from === taken.length) break;
      const full = kernel.exports.spillFullBuffer();
      expect(kernel.exports.spillFill(full)).toBe(BUFFER_BYTES);
      partitions[full]?.push(...takeBuffer(kernel, full));
    }
  }
  for (const [partition, entries] of partitions.entries()) entries.push(...takeBuffer(kernel, partition));
  return partitions;
}

/** Settles entries at the start of the cells; the numbers whose bits are set, and how many entries were taken. */
/** Writes entries where the cells begin. */
function writeEntries(kernel: Kernel, entries: readonly SpillEntry[]): void {
  const view = new DataView(kernel.bytes.buffer, kernel.cellsOffset);
  for (const [i, entry] of entries.entries()) {
    view.setBigUint64(i * SPILL_ENTRY_BYTES, entry.first, true);
    view.setBigUint64(i * SPILL_ENTRY_BYTES + 8, entry.second, true);
  }
}

/** The numbers whose bits are set. */
function bitsIn(kernel: Kernel, window: number, { first, numbers }: { first: number; numbers: number }): number[] {
  const found: number[] = [];
  for (let bit = 0; bit < numbers; bit++) {
    if ((((kernel.bytes[window + (bit >> 3)] as number) >> (bit & 7)) & 1) === 1) found.push(first + bit);
  }
  return found;
}

function settle(
  kernel: Kernel,
  entries: readonly SpillEntry[],
  { tableBits = 11, part = 0, partBits = 0, first = 1, numbers = 8000 } = {},
): { numbers: number[]; taken: number; room: number } {
  const table = kernel.cellsOffset + entries.length * SPILL_ENTRY_BYTES;
  const window = table + (SPILL_ENTRY_BYTES << tableBits);
  writeEntries(kernel, entries);
  kernel.bytes.fill(0, window, window + 1000);
  kernel.exports.spillWindow(window, first, numbers);
  kernel.exports.spillSettleBegin(table, tableBits, part, partBits);
  const taken = kernel.exports.spillSettle(kernel.cellsOffset, entries.length);
  return { numbers: bitsIn(kernel, window, { first, numbers }), taken, room: kernel.exports.spillRoom() };
}

/** Tallies the entries of a partition; returns the counts of the kept records by number, as bits and pairs give them. */
function tally(
  kernel: Kernel,
  entries: readonly SpillEntry[],
  { keepsLast = false, part = 0, partBits = 0, least = 1, most = 1e9, rangeNumbers = 700 } = {},
): { marked: number[]; counts: Map<number, number> } {
  const tableBits = 11;
  const { exports, cellsOffset } = kernel;
  const table = cellsOffset + entries.length * SPILL_ENTRY_BYTES;
  const window = table + ((SPILL_ENTRY_BYTES + 8) << tableBits);
  writeEntries(kernel, entries);
  kernel.bytes.fill(0, window, window + 1000);
  exports.spillSettleBegin(table, tableBits, part, partBits);
  exports.tallyBegin(table + (SPILL_ENTRY_BYTES << tableBits), keepsLast);
  expect(exports.tallySettle(cellsOffset, entries.length)).toBe(entries.length);
  exports.spillWindow(window, 1, 8000);
  exports.tallyMark(least, most);
  const marked = bitsIn(kernel, window, { first: 1, numbers: 8000 });
  const ranges = Math.ceil(8000 / rangeNumbers);
  const counts = new Map<number, number>();
  const bufferBytes = 4 * TALLY_PAIR_BYTES;
  const target = wholeCacheLines(window + 1000 + ranges * (bufferBytes + 4));
  exports.spillBuffers(ranges, window + 1000, bufferBytes);
  const take = (range: number) => {
    kernel.bytes.fill(0, target, target + 8 * rangeNumbers);
    exports.tallySpread(window + 1000 + range * bufferBytes, exports.spillFill(range) / TALLY_PAIR_BYTES, target);
    for (const [i, count] of new Float64Array(kernel.bytes.buffer, target, rangeNumbers).entries()) {
      if (count > 0) counts.set(range * rangeNumbers + i + 1, count);
    }
    exports.spillEmpty(range);
  };
  for (let from = 0; ; ) {
    from = exports.tallyScatter(from, rangeNumbers);
    if (from === 2 ** tableBits) break;
    take(exports.spillFullBuffer());
  }
  for (let range = 0; range < ranges; range++) take(range);
  return { marked, counts };
}

/** Settles entries with ranks in a table of 2^10 slots; returns the numbers of the kept ones. Undefined without room for all ranks. */
function settleRanked(
  kernel: Kernel,
  entries: readonly SpillEntry[],
  ranks: readonly Uint8Array[],
  { isLeast = false, arenaBytes = 50_000 } = {},
): number[] | undefined {
  const { exports, regionOffset } = kernel;
  const view = new DataView(kernel.bytes.buffer);
  let at = regionOffset;
  for (const [i, { first, second }] of entries.entries()) {
    const rank = ranks[i] as Uint8Array;
    view.setBigUint64(at, first, true);
    view.setBigUint64(at + 8, second, true);
    view.setBigUint64(at + SPILL_ENTRY_BYTES, BigInt(rank.length), true);
    kernel.bytes.set(rank, at + RANKED_ENTRY_BYTES);
    at += RANKED_ENTRY_BYTES + 8 * Math.ceil(rank.length / 8);
  }
  const table = wholeCacheLines(at);
  const addresses = table + (SPILL_ENTRY_BYTES << 10);
  const window = addresses + (4 << 10) + arenaBytes;
  kernel.bytes.fill(0, window, window + 1000);
  exports.spillSettleBegin(table, 10, 0, 0);
  exports.tallyBegin(0, false);
  exports.bestBegin(addresses, window, isLeast);
  if (!exports.bestSettle(regionOffset, at - regionOffset)) return undefined;
  exports.spillWindow(window, 1, 8000);
  exports.tallyMark(0, 1e9);
  return bitsIn(kernel, window, { first: 1, numbers: 8000 });
}

describe.each(kernelNames)('the %s kernel', (name) => {
  const module = kernelModules[name];
  const keys = keysOf(5000);

  test.each([
    ['a seed', undefined],
    ['a secret', SECRET],
  ])('scatters as the twin does with %s, however keys are cut into batches', async (_, secret) => {
    const kernel = await kernelFor(module, secret);
    const wanted = referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED, ...(secret ? { secret } : {}) });
    expect(scatter(kernel, keys, 1000)).toEqual(wanted);
    expect(scatter(kernel, keys, 37)).toEqual(wanted);
    expect(wanted.flat().length).toBeLessThan(keys.length);
  });

  test('settles as the twin does, in one part or several', async () => {
    const kernel = await kernelFor(module);
    for (const entries of referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED })) {
      const wanted = referenceSettle(entries);
      expect(settle(kernel, entries)).toMatchObject({ numbers: wanted, taken: entries.length });
      const parts = [0, 1, 2, 3].flatMap((part) => settle(kernel, entries, { part, partBits: 2 }).numbers);
      expect(parts.sort((left, right) => left - right)).toEqual(wanted);
    }
  });

  test('stops before an entry that does not fit in the table, or whose bit is outside the window', async () => {
    const kernel = await kernelFor(module);
    const [entries = []] = referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED });
    const wanted = referenceSettle(entries);
    const full = settle(kernel, entries, { tableBits: 4 });
    expect(full).toMatchObject({ numbers: wanted.slice(0, 14), room: 0 });
    expect(referenceSettle(entries.slice(0, full.taken + 1))).toHaveLength(15);
    const limit = wanted[20] as number;
    const outside = settle(kernel, entries, { numbers: limit - 1 });
    expect(outside.numbers).toEqual(wanted.slice(0, 20));
    expect(outside.room).toBeGreaterThan(0);
    expect(settle(kernel, entries, { first: 2 + (wanted[0] as number) })).toMatchObject({ numbers: [], taken: 0 });
  });

  test('makes an entry for every key if none may be left out', async () => {
    const kernel = await kernelFor(module);
    const wanted = referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED, skipsRecent: false });
    expect(scatter(kernel, keys, 1000, false)).toEqual(wanted);
    expect(wanted.flat()).toHaveLength(keys.length);
  });

  test.each([false, true])(
    'tallies as the twin does, in one part or several (keeps the last: %s)',
    async (keepsLast) => {
      const kernel = await kernelFor(module);
      const numbersOf = (counts: [number, number][]) => counts.map(([number]) => number);
      for (const entries of referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED, skipsRecent: false })) {
        const wanted = [...referenceTally(entries, keepsLast)].sort(([one], [other]) => one - other);
        const repeated = wanted.filter(([, count]) => count > 1);
        const { marked, counts } = tally(kernel, entries, { keepsLast });
        expect(marked).toEqual(numbersOf(wanted));
        expect([...counts].sort(([one], [other]) => one - other)).toEqual(repeated);
        const unique = tally(kernel, entries, { keepsLast, most: 1 }).marked;
        expect(unique).toEqual(numbersOf(wanted.filter(([, count]) => count === 1)));
        const inParts = [0, 1].map((part) => tally(kernel, entries, { keepsLast, part, partBits: 1, least: 2 }));
        expect(inParts.flatMap((one) => one.marked).sort((one, other) => one - other)).toEqual(numbersOf(repeated));
      }
    },
  );

  test('takes verdicts from the bits of the window', async () => {
    const kernel = await kernelFor(module);
    kernel.bytes.set([0b10110010, 0b1], kernel.cellsOffset);
    kernel.exports.spillWindow(kernel.cellsOffset, 101, 16);
    kernel.exports.spillVerdicts(2, 9, 103);
    expect([...kernel.verdicts.subarray(2, 9)]).toEqual([1, 1, 0, 0, 1, 0, 0]);
    expect([...kernel.registers.subarray(0, 2)]).toEqual([7n, 3n]);
  });

  test('writes ranks as the twin does', async () => {
    const kernel = await kernelFor(module);
    const numbers = [
      '0',
      '-0.00',
      '007',
      '7',
      '7.0',
      '70e-1',
      '0.05',
      '-12.5',
      '+3',
      '1E+400',
      '1e99999999999999999999',
      '-1e-7',
    ];
    const others = [
      '',
      ' 1',
      '1 ',
      '1.',
      '.5',
      '1e',
      '1e+',
      '--1',
      '0x10',
      '2026-11-26',
      'null',
      'é',
      '-',
      '+',
      'e5',
      '1.5.2',
    ];
    const texts = [...numbers, ...others];
    expect(ranksOf(kernel, texts)).toEqual(texts.map(referenceRank));
  });

  test.each([false, true])('keeps the best rank of each key as the twin does (the least: %s)', async (isLeast) => {
    const kernel = await kernelFor(module);
    for (const entries of referenceScatter(keys, { partitionBits: PARTITION_BITS, seed: SEED, skipsRecent: false })) {
      // Ranks of several lengths, some of them without bytes, and many equal.
      const ranks = entries.map(({ second }, i) => new Uint8Array((i * 7) % 40).fill(Number(second % 11n)));
      const wanted = referenceBest(entries, ranks, isLeast);
      expect(settleRanked(kernel, entries, ranks, { isLeast })).toEqual(wanted);
      expect(settleRanked(kernel, entries, ranks, { isLeast, arenaBytes: 64 })).toBeUndefined();
    }
  });

  test('makes records unchosen that are distinct and have no bit', async () => {
    const kernel = await kernelFor(module);
    kernel.bytes.set([0b10110010], kernel.cellsOffset);
    kernel.verdicts.set([0, 0, 0, 1, 0, 1]);
    kernel.exports.spillWindow(kernel.cellsOffset, 101, 8);
    kernel.exports.spillChoose(1, 6, 102);
    expect([...kernel.verdicts.subarray(0, 6)]).toEqual([0, 0, UNCHOSEN, 1, 0, 1]);
  });
});
