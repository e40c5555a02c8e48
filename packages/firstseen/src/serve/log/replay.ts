// Reads the log from a sequence on, and decides what of it counts.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { shownPath } from '../../io/system/paths.js';
import type { onDamage } from '../../options/serve.js';
import type { Checksum } from '../../snapshot/frame.js';
import type { LogRecord } from '../store/changes.js';
import { type Block, BlockReader } from './blocks.js';
import { pathOf } from './files.js';
import { followingText } from './followingtext.js';
import { decodeHead, LOG_HEAD_BYTES, type LogHead } from './logfile.js';
import { recordsIn } from './records.js';

/** The policy for a log that is damaged, and not only cut off at its end. */
export type DamagePolicy = (typeof onDamage.words)[number];

export interface LogOptions {
  folder: string;
  /** The sequences of the logs to be read, in their order. */
  sequences: readonly number[];
  /** The number of the last block that the snapshots have. */
  lastBlock: number;
  checksum: Checksum;
  onDamage: DamagePolicy;
}

/** A byte of a log. */
export interface LogPlace {
  sequence: number;
  position: number;
}

/** The end of the log. */
export interface LogEnd {
  lastBlock: number;
  /** The places at which blocks are followed by space for others, which a server that was killed has not given back. */
  spaces: readonly LogPlace[];
  /** The place at which the log is cut off, if something of it does not count. */
  cut?: LogPlace | undefined;
  /** The whole blocks after that place. */
  following?: FollowingBlocks;
  /** True if what is cut off was on the disk before. */
  isDamaged?: boolean;
}

/** A log that is open. */
async function openLog({ folder, checksum }: LogOptions, sequence: number): Promise<BlockReader> {
  return BlockReader.open(pathOf(folder, 'log', sequence), checksum);
}

/** The whole blocks that do not count, because one before them is not whole. */
export interface FollowingBlocks {
  blocks: number;
  /** The number of their changes: elements that were observed, and others. */
  changes: number;
  /** The detectors that they change and do not drop, by their numbers, with the names of those that are created in them. */
  detectors: ReadonlyMap<number, string | undefined>;
  /** True if one of them says that the block that is not whole was on the disk. */
  wasSynced: boolean;
}

/** Notes which detectors a change is of, and returns for how many it counts. */
function noteChange(record: LogRecord, detectors: Map<number, string | undefined>): number {
  if (record.kind === 'dropped') detectors.delete(record.detector);
  else if (record.kind === 'created' || record.kind === 'imported') detectors.set(record.detector, record.name);
  else detectors.set(record.detector, detectors.get(record.detector));
  return record.kind === 'observed' ? record.fingerprints.length : 1;
}

/** Reads what follows a block that is not whole. */
async function blocksAfter(
  options: LogOptions,
  from: { index: number; position: number },
  number: number,
): Promise<FollowingBlocks> {
  const detectors = new Map<number, string | undefined>();
  const following = { blocks: 0, changes: 0, detectors, wasSynced: false };
  for (let i = from.index; i < options.sequences.length; i++) {
    const reader = await openLog(options, options.sequences[i] as number);
    try {
      for await (const { synced, records } of reader.search(i === from.index ? from.position : 0)) {
        following.wasSynced ||= synced >= number;
        following.blocks++;
        for (const record of recordsIn(records)) following.changes += noteChange(record, detectors);
      }
    } finally {
      await reader.close();
    }
  }
  return following;
}

function damaged({ folder }: LogOptions, { sequence, position }: LogPlace, following: FollowingBlocks): FirstseenError {
  const name = optionName('onDamage');
  const path = shownPath(pathOf(folder, 'log', sequence));
  return new FirstseenError(
    'E_STATE_FILE',
    `the log ${path} is damaged at byte ${position}, before ${followingText(following)}`,
    {
      remedy: phrase`restore the data folder from a copy, or give ${name} cut to go on without what follows: a copy of the log is kept, its keys are distinct again, and detectors that were created there are gone`,
    },
  );
}

/**
 * Why a log does not follow what was read before, if what is between them was on the disk: the first log follows the snapshots, and was begun
 * when all that they have was on the disk. Where a sequence is left out, its log had a name on the disk before the next one.
 */
function lostBefore(
  { folder, sequences }: LogOptions,
  index: number,
  head: LogHead | undefined,
  lastBlock: number,
): FirstseenError | undefined {
  const sequence = sequences[index] as number;
  const isApart = index === 0 || sequence !== (sequences[index - 1] as number) + 1;
  if (!isApart || head === undefined || head.firstBlock <= lastBlock + 1) return undefined;
  const name = optionName('onDamage');
  return new FirstseenError(
    'E_STATE_FILE',
    `the log ${shownPath(pathOf(folder, 'log', sequence))} begins with block ${head.firstBlock}, but the data before it ends with block ${lastBlock}: ` +
      'snapshots or logs are missing',
    {
      remedy: phrase`restore the data folder from a copy, or give ${name} cut to go on without this log and what follows`,
    },
  );
}

/**
 * The blocks of the log that count. What does not, because the machine stopped while it was written, is where the returned end says.
 * @throws FirstseenError E_STATE_FILE when the log is damaged.
 */
export async function* blocksOf(options: LogOptions): AsyncGenerator<Block, LogEnd> {
  let { lastBlock } = options;
  const spaces: LogPlace[] = [];
  for (const [index, sequence] of options.sequences.entries()) {
    const reader = await openLog(options, sequence);
    let position = LOG_HEAD_BYTES;
    let lost: FirstseenError | undefined;
    try {
      const head = decodeHead(await reader.read(LOG_HEAD_BYTES, 0), options.checksum);
      const isNext = head?.sequence === sequence && head.firstBlock === lastBlock + 1;
      lost = lostBefore(options, index, head, lastBlock);
      if (lost && options.onDamage === 'fail') throw lost;
      if (!isNext) position = 0;
      while (isNext && position < reader.bytes) {
        const block = await reader.block(position);
        if (block?.number !== lastBlock + 1) break;
        yield block;
        lastBlock = block.number;
        position = block.next;
      }
      if (isNext && (await reader.isEmptyFrom(position))) {
        if (position < reader.bytes) spaces.push({ sequence, position });
        continue;
      }
    } finally {
      await reader.close();
    }
    const following = await blocksAfter(options, { index, position }, lastBlock + 1);
    const isDamaged = lost !== undefined || following.wasSynced;
    const cut = { sequence, position };
    if (isDamaged && options.onDamage === 'fail') throw damaged(options, cut, following);
    return { lastBlock, spaces, cut, following, isDamaged };
  }
  return { lastBlock, spaces };
}

/**
 * The detectors that the log drops, by their numbers, which no others get. What the log says of them need not be made again.
 * @throws FirstseenError as `blocksOf`; the reason of `stopping`
 */
export async function droppedIn(options: LogOptions, stopping?: AbortSignal): Promise<ReadonlySet<number>> {
  const dropped = new Set<number>();
  for await (const { records } of blocksOf(options)) {
    stopping?.throwIfAborted();
    for (const { kind, detector } of recordsIn(records)) if (kind === 'dropped') dropped.add(detector);
  }
  return dropped;
}
