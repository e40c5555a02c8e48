// The combine phase: of the elements of one map task that have the same fingerprint, passes on the one with the lowest position.
// The elements come in the order of their positions, so that is the first one.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { DetectorFamily } from '../detectors/contract.js';
import { detectorFamilies } from '../detectors/registry.js';
import { withWire } from './stream.js';
import type { WireBatch } from './wire.js';

/** Fingerprints that are remembered, a power of two: 16 MiB. */
const REMEMBERED = 2 ** 21;

/** Remembers the last fingerprint of each slot. It forgets, but never takes a new fingerprint for a known one. */
class RecentFingerprints {
  readonly #fingerprints = new BigUint64Array(REMEMBERED);
  readonly #isTaken = new Uint8Array(REMEMBERED);

  /** Tells if the fingerprint is remembered. If not, it is from now on. */
  knows(fingerprint: bigint): boolean {
    const slot = Number(fingerprint & BigInt(REMEMBERED - 1));
    if (this.#isTaken[slot] === 1 && this.#fingerprints[slot] === fingerprint) return true;
    this.#isTaken[slot] = 1;
    this.#fingerprints[slot] = fingerprint;
    return false;
  }
}

/** The lines of a batch that are passed on, in pieces that are adjacent in memory. */
function keptLines({ bytes, count, starts, ends, keyed, fingerprints }: WireBatch, recent: RecentFingerprints) {
  const pieces: Buffer[] = [];
  let keptCount = 0;
  let from = starts[0] as number;
  for (let i = 0; i < count; i++) {
    if (keyed[i] === 0 || !recent.knows(fingerprints[i] as bigint)) {
      keptCount++;
      continue;
    }
    pieces.push(bytes.subarray(from, starts[i]));
    from = ends[i] as number;
  }
  pieces.push(bytes.subarray(from, ends[count - 1]));
  return { kept: keptCount, lines: Buffer.concat(pieces) };
}

export interface CombineCounts {
  elements: number;
  dropped: number;
}

/** @throws FirstseenError E_USAGE for a family whose answers change when it does not see a repeat. */
export function checkCombinable(family: DetectorFamily): void {
  if (family.ignoresRepeats) return;
  const others = detectorFamilies.filter(({ ignoresRepeats }) => ignoresRepeats).map(({ name }) => name);
  throw new FirstseenError('E_USAGE', `without its repeats, a stream gives other answers with ${family.name}`, {
    option: 'algorithm',
    given: family.name,
    remedy: phrase`choose ${others.join(' or ')}, leave combine out, or allow other answers with ${optionName('approximate')}`,
  });
}

/**
 * @param hasTimes whether elements have times
 * @throws FirstseenError E_RECORD and E_ORDER for lines that are not elements in order; E_INPUT, E_OUTPUT.
 */
export async function runCombine(hasTimes: boolean): Promise<CombineCounts> {
  const recent = new RecentFingerprints();
  const counts: CombineCounts = { elements: 0, dropped: 0 };
  await withWire(hasTimes, async (batches, write) => {
    for await (const batch of batches) {
      const { kept: keptCount, lines } = keptLines(batch, recent);
      counts.elements += batch.count;
      counts.dropped += batch.count - keptCount;
      await write(lines);
    }
  });
  return counts;
}
