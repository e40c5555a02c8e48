// Builds the model of a stream from what the user knows of it.

import { checkCount, checkGaps, checkWhole } from '../base/check.js';
import { formatCounted } from '../base/count.js';
import { invalidOption, optionName, phrase } from '../base/errors.js';
import type { LayoutName } from '../detectors/contract.js';
import {
  distinctShare,
  gapListStream,
  ofLength,
  type StreamModel,
  uniformStream,
  universeOf,
  unknownStream,
  windowStream,
} from './stream.js';

/** The known properties of a stream. The plan improves with what is known. */
export interface StreamHints {
  /** Elements of the stream. The default is an endless stream, or twice the distinct elements. */
  lengthElements?: number | undefined;
  /** Number of different elements. */
  distinctElements?: number | undefined;
  /** The window in elements. Only families with a window are recommended then, and only if they find every repeat in it. */
  windowElements?: number | undefined;
  /** Gaps between duplicates and their previous occurrences, all equally likely. */
  gapsElements?: readonly number[] | undefined;
  /** A measured stream. `lengthElements`, if given, replaces its length. */
  stream?: StreamModel | undefined;
}

export interface PlanOptions extends StreamHints {
  /** Set where the window is a duration, in which `windowElements` come. A run takes other families for such a window. */
  windowMilliseconds?: number | undefined;
  /** Bytes, or text such as `64MiB`. The default is the least that suffices, or 64MiB if nothing says how much suffices. */
  memory?: number | string | undefined;
  /** The least memory, if no memory is given. */
  minMemoryBytes?: number | undefined;
  /** The highest rate of false positives; 1e-6 by default. */
  fpr?: number | undefined;
  /** Only this layout. */
  layout?: LayoutName | undefined;
  /**
   * The time by which an element may be remembered longer than the window, as a share of it.
   */
  windowSlack?: number | undefined;
}

/** The options of a plan: what is known of the stream, and what is asked of the detector. All are optional. */
export interface PartitionedPlanOptions extends PlanOptions {
  /** Partitions of the detector; 1 by default. */
  partitions?: number | undefined;
}

/** The length of an endless stream: longer than any detector in a computer's memory can distinguish. */
const ENDLESS_ELEMENTS = 2 ** 40;

/** The share of duplicates if it is unknown. */
const UNKNOWN_DUPLICATE_SHARE = 0.5;

/** @throws FirstseenError E_MEMORY unless the least memory is absent, or a number of bytes. */
export function checkLeastMemory({ minMemoryBytes }: PlanOptions): number | undefined {
  if (minMemoryBytes === undefined) return undefined;
  return checkWhole('minMemoryBytes', minMemoryBytes, { least: 0, most: Number.MAX_SAFE_INTEGER }, 'E_MEMORY');
}

/** The stream that the hints describe. @throws FirstseenError E_PARAMETER when they contradict each other. */
export function streamOf(hints: StreamHints): StreamModel {
  const { lengthElements, distinctElements, windowElements, gapsElements, stream } = hints;
  if (windowElements !== undefined) checkCount('windowElements', windowElements);
  for (const [option, value] of Object.entries({ lengthElements, distinctElements })) {
    if (value !== undefined) checkReach(option, value);
  }
  if (lengthElements !== undefined && distinctElements !== undefined && distinctElements > lengthElements) {
    throw invalidOption({
      option: 'distinctElements',
      given: distinctElements,
      expected: phrase`at most ${optionName('lengthElements')}, ${lengthElements}`,
    });
  }
  if (stream !== undefined) return ofLength(checkedStream(stream), lengthElements);
  const length = lengthElements ?? (distinctElements === undefined ? undefined : 2 * distinctElements);
  if (gapsElements !== undefined) {
    const share = duplicateShareOf(hints);
    return gapListStream({
      lengthElements: length ?? ENDLESS_ELEMENTS,
      gapsElements: checkGaps('gapsElements', gapsElements),
      duplicateShare: share,
    });
  }
  if (windowElements !== undefined) {
    return windowStream(length ?? ENDLESS_ELEMENTS, windowElements, duplicateShareOf(hints));
  }
  if (length === undefined) return unknownStream(ENDLESS_ELEMENTS, UNKNOWN_DUPLICATE_SHARE);
  return uniformStream(length, universeOf(length, distinctElements ?? length * (1 - UNKNOWN_DUPLICATE_SHARE)));
}

function checkReach(option: string, elements: number): void {
  if (checkCount(option, elements) <= ENDLESS_ELEMENTS) return;
  throw invalidOption({
    option,
    given: elements,
    expected: `at most ${ENDLESS_ELEMENTS}, because longer streams count as endless`,
    remedy: 'leave it out',
  });
}

function checkedStream(stream: StreamModel): StreamModel {
  if (typeof stream?.fresh !== 'function' || typeof stream.distinctIn !== 'function') {
    throw invalidOption({
      option: 'stream',
      given: stream,
      expected: 'a model with lengthElements, fresh and distinctIn, such as the stream of a GapSample',
    });
  }
  checkReach('stream.lengthElements', stream.lengthElements);
  return stream;
}

function duplicateShareOf({ lengthElements, distinctElements }: StreamHints): number {
  if (lengthElements === undefined || distinctElements === undefined) return UNKNOWN_DUPLICATE_SHARE;
  return 1 - distinctElements / lengthElements;
}

/** The stream that the plan assumes, in text form. */
export function streamText(stream: StreamModel): string {
  const length =
    stream.lengthElements >= ENDLESS_ELEMENTS ? 'endless' : formatCounted(stream.lengthElements, 'element');
  return `${length}, ${(100 * distinctShare(stream)).toPrecision(3)} % of them new; ${stream.description}`;
}
