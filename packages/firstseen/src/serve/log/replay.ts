// Reads the log from a sequence on, and decides what of it counts.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { shownPath } from '../../io/system/paths.js';
import type { onDamage } from '../../options/serve.js';
import type { Checksum } from '../../snapshot/frame.js';
import { type Block, BlockReader } from './blocks.js';
import { pathOf } from './files.js';
import { decodeHead, LOG_HEAD_BYTES, type LogHead } from './logfile.js';

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
  /** True if what is cut off was on the disk before. */
  isDamaged?: boolean;
}

/** A log that is open. */
async function openLog({ folder, checksum }: LogOptions, sequence: number): Promise<BlockReader> {
  return BlockReader.open(pathOf(folder, 'log', sequence), checksum);
}

/** Tells if a later block says that a block was on the disk. */
async function wasSynced(
  options: LogOptions,
  from: { index: number; position: number },
  number: number,
): Promise<boolean> {
  for (let i = from.index; i < options.sequences.length; i++) {
    const reader = await openLog(options, options.sequences[i] as number);
    try {
      for await (const { synced } of reader.search(i === from.index ? from.position : 0))
        if (synced >= number) return true;
    } finally {
      await reader.close();
    }
  }
  return false;
}

function damaged({ folder }: LogOptions, sequence: number, position: number): FirstseenError {
  const name = optionName('onDamage');
  return new FirstseenError(
    'E_STATE_FILE',
    `the log ${shownPath(pathOf(folder, 'log', sequence))} is damaged at byte ${position}, before its end`,
    {
      remedy: phrase`restore the data folder from a copy, or give ${name} cut to go on without what follows: those elements are distinct again`,
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
    const isDamaged = lost !== undefined || (await wasSynced(options, { index, position }, lastBlock + 1));
    if (isDamaged && options.onDamage === 'fail') throw damaged(options, sequence, position);
    return { lastBlock, spaces, cut: { sequence, position }, isDamaged };
  }
  return { lastBlock, spaces };
}
