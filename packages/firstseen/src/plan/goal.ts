// From what people know of a stream to a model of it.

import { formatCounted } from '../count.js';
import { checkedGaps } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import {
  checkedCount,
  distinctShare,
  gapListStream,
  type StreamModel,
  uniformStream,
  universeOf,
  unknownStream,
  windowStream,
} from './stream.js';

/** What is known of a stream; the more, the better the plan. */
export interface StreamHints {
  /** Elements of the stream; without it the stream is taken as endless, or twice as long as its distinct elements. */
  lengthElements?: number;
  /** How many of them are different. */
  distinctElements?: number;
  /** Duplicates of gaps up to this are to be found. */
  windowElements?: number;
  /** Gaps between duplicates and their nearest predecessors, each as likely. */
  gapsElements?: readonly number[];
  /** A stream as it was measured; its length is `lengthElements` where that is given. */
  stream?: StreamModel;
}

/** Endless, for all that a detector in a computer's memory can tell. */
export const ENDLESS_ELEMENTS = 2 ** 40;

/** Share of the duplicates where nothing says otherwise. */
const UNKNOWN_DUPLICATE_SHARE = 0.5;

/** The stream that the hints describe. @throws FirstseenError E_PARAMETER where they contradict each other. */
export function streamOf(hints: StreamHints): StreamModel {
  const { lengthElements, distinctElements, windowElements, gapsElements, stream } = hints;
  if (windowElements !== undefined) checkedCount('windowElements', windowElements);
  for (const [what, value] of Object.entries({ lengthElements, distinctElements })) {
    if (value !== undefined) checkReach(what, value);
  }
  if (lengthElements !== undefined && distinctElements !== undefined && distinctElements > lengthElements) {
    throw new FirstseenError(
      'E_PARAMETER',
      `${distinctElements} distinct elements were expected in a stream of ${lengthElements}; there can be no more than that`,
    );
  }
  if (stream !== undefined)
    return { ...checkedStream(stream), ...(lengthElements === undefined ? {} : { lengthElements }) };
  const length = lengthElements ?? (distinctElements === undefined ? undefined : 2 * distinctElements);
  if (gapsElements !== undefined) {
    const share = duplicateShareOf(hints);
    return gapListStream({
      lengthElements: length ?? ENDLESS_ELEMENTS,
      gapsElements: checkedGaps(gapsElements),
      duplicateShare: share,
    });
  }
  if (windowElements !== undefined) {
    return windowStream(length ?? ENDLESS_ELEMENTS, windowElements, duplicateShareOf(hints));
  }
  if (length === undefined) return unknownStream(ENDLESS_ELEMENTS, UNKNOWN_DUPLICATE_SHARE);
  return uniformStream(length, universeOf(length, distinctElements ?? length * (1 - UNKNOWN_DUPLICATE_SHARE)));
}

function checkReach(what: string, elements: number): void {
  if (checkedCount(what, elements) <= ENDLESS_ELEMENTS) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `${what} is ${elements}, but a plan reaches as far as ${ENDLESS_ELEMENTS} elements, beyond which streams are endless; leave it out`,
  );
}

function checkedStream(stream: StreamModel): StreamModel {
  if (typeof stream?.fresh !== 'function' || typeof stream.distinctIn !== 'function') {
    throw new FirstseenError(
      'E_PARAMETER',
      'stream must be a model with lengthElements, fresh and distinctIn, such as the stream of a GapSample',
    );
  }
  checkReach('lengthElements of the stream', stream.lengthElements);
  return stream;
}

function duplicateShareOf({ lengthElements, distinctElements }: StreamHints): number {
  if (lengthElements === undefined || distinctElements === undefined) return UNKNOWN_DUPLICATE_SHARE;
  return 1 - distinctElements / lengthElements;
}

/** A sentence for people: what the plan takes the stream to be. */
export function streamText(stream: StreamModel): string {
  const length =
    stream.lengthElements >= ENDLESS_ELEMENTS ? 'endless' : formatCounted(stream.lengthElements, 'element');
  return `${length}, ${(100 * distinctShare(stream)).toPrecision(3)} % of them new; ${stream.description}`;
}
