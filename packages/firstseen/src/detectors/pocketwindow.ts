import { formatCounted } from '../base/count.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import {
  POCKET_BYTES,
  POCKET_GROUP_BYTES,
  POCKETWINDOW_ADDS_REGISTER,
  POCKETWINDOW_COUNTS_REGISTER,
  POCKETWINDOW_GENERATION_ELEMENTS_PARAMETER,
  POCKETWINDOW_GENERATION_MILLISECONDS_PARAMETER,
  POCKETWINDOW_LOOK_REGISTER,
  POCKETWINDOW_REFRESH_PARAMETER,
  POCKETWINDOW_SHORTENED_REGISTER,
  POCKETWINDOW_SPARE,
  POCKETWINDOW_UNSTORED_REGISTER,
} from '../kernel/abi.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type ParameterRequest,
  slackOf,
  type WindowBand,
} from './contract.js';
import {
  falsePositivesWith,
  type PocketShape,
  pocketsBytes,
  resolveShape,
  shapeParameters,
  shapeResults,
} from './pocket.js';
import { refreshParameter, refreshWord } from './refresh.js';
import { windowElementsParameter, windowMillisecondsParameter, windowSize } from './windowsize.js';

/** Whole generations in a window: an entry of the oldest of 8 ages has left it, and the current generation is not whole. */
export const WINDOW_GENERATIONS = 6;
/** Generations whose entries may be in the pockets at once. */
const HELD_GENERATIONS = WINDOW_GENERATIONS + 1;

/**
 * The largest part of the entries that is in their second pocket, for k slots. The measured part is up to 0.38 with fewer than 32
 * slots and 0.28 with more, if not all elements find room.
 */
const maxSecondShare = (slots: number) => (slots >= 32 ? 0.3 : 0.5);

/**
 * Part of all slots that entries in the window may take, if at most about one element in a million is to find both its pockets
 * full. Measured with k from 16 to 96.
 */
export const maxHeldShare = (slots: number) => 1 - POCKETWINDOW_SPARE / Math.sqrt(slots);

/** The elements of a generation of the largest window that the memory holds. */
function maxGenerationElements({ k }: PocketShape, memoryBytes: number): number {
  const slots = k * Math.floor(memoryBytes / POCKET_BYTES);
  return Math.max(1, Math.floor((maxHeldShare(k) * slots) / HELD_GENERATIONS));
}

/** The largest window of elements that the memory holds. */
export function maxWindowElements(shape: PocketShape, memoryBytes: number): number {
  return WINDOW_GENERATIONS * maxGenerationElements(shape, memoryBytes);
}

function bandOf({ W, t }: { W: number; t: number }, generation: number): WindowBand {
  const to = HELD_GENERATIONS * generation;
  return t > 0 ? { fromMilliseconds: t, toMilliseconds: to } : { fromElements: W, toElements: to };
}

/** @throws FirstseenError E_PARAMETER when the band is wider than asked for. */
function checkSlack({ windowSlack }: ParameterRequest, band: WindowBand): void {
  const slack = slackOf(band);
  if (windowSlack === undefined || slack <= windowSlack) return;
  const least = Math.ceil(1000 * slack) / 1000;
  throw invalidOption({
    option: 'windowSlack',
    given: windowSlack,
    expected:
      least < 1
        ? `at least ${least}, because entries have ${HELD_GENERATIONS + 1} ages`
        : 'left out, because so short a window has a slack of 100 % or more',
    remedy: phrase`use ${optionName('algorithm')} exact, whose window has no slack, or apbf in the classic layout`,
  });
}

/** @throws FirstseenError E_PARAMETER when the memory holds less than the window. */
function checkHolds({ memoryBytes }: ParameterRequest, shape: PocketShape, W: number): void {
  const most = maxWindowElements(shape, memoryBytes);
  if (W <= most) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `${formatBytes(memoryBytes)} in pockets of ${shape.k} slots holds a window of ${formatCounted(most, 'element')}, but a window of ${formatCounted(W, 'element')} was asked for`,
    {
      option: 'window',
      remedy: phrase`give a smaller ${optionName('window')}, a higher ${optionName('fpr')} or more ${optionName('memory')}`,
    },
  );
}

export const pocketwindowDescription: FamilyDescription = {
  title: 'Pockets with a guaranteed window',
  source: 'ours; pockets as in the prefix filter, arXiv 2203.17139',
  rule: 'An element is an entry in one of two pockets of 128 bytes. A generation is a sixth of the window. An entry leaves the window after seven generations, and only then its slot is free. With a window in time, where the memory has no room for all, the entries that arrived first leave early, and that is counted. An element that finds no free slot passes, is not stored, and is counted.',
  falsePositives: /* @__PURE__ */ falsePositivesWith('3/10, or 1/2 if k is below 32'),
  falseNegatives: {
    kind: 'bounded',
    bound:
      'none up to W elements, or t milliseconds, after an add that was stored; elements that were not stored, and generations that left early for want of room, are counted; with refresh every element is added, otherwise those reported distinct',
    source: 'an entry is not replaced before it has left the window',
  },
};

export const pocketwindow: DetectorFamily = {
  name: 'pocketwindow',
  id: 16,
  layouts: ['blocked'],
  layout: 'blocked',
  hasWindow: true,
  groupBytes: POCKET_GROUP_BYTES,
  sumSlots: [
    ...[POCKETWINDOW_ADDS_REGISTER, POCKETWINDOW_UNSTORED_REGISTER],
    ...[POCKETWINDOW_SHORTENED_REGISTER, POCKETWINDOW_LOOK_REGISTER],
    ...Array.from({ length: HELD_GENERATIONS }, (_, age) => POCKETWINDOW_COUNTS_REGISTER + age),
  ],
  parameters: [
    ...shapeParameters,
    windowElementsParameter,
    windowMillisecondsParameter,
    refreshParameter,
    ...shapeResults,
  ],
  resolve(request) {
    const { shape, results, kernel } = resolveShape(request, maxSecondShare);
    const refresh = refreshWord(request);
    const size = windowSize(request, () => maxWindowElements(shape, request.memoryBytes));
    checkHolds(request, shape, size.W);
    const isTimed = size.t > 0;
    const generation = Math.ceil((isTimed ? size.t : size.W) / WINDOW_GENERATIONS);
    const band = bandOf(size, generation);
    checkSlack(request, band);
    return {
      values: { ...shape, ...size, refresh, ...results },
      kernel: [
        ...kernel,
        [
          POCKETWINDOW_GENERATION_ELEMENTS_PARAMETER,
          isTimed ? maxGenerationElements(shape, request.memoryBytes) : generation,
        ],
        [POCKETWINDOW_GENERATION_MILLISECONDS_PARAMETER, isTimed ? generation : 0],
        [POCKETWINDOW_REFRESH_PARAMETER, refresh === 'yes' ? 1 : 0],
      ],
      cellsBytes: pocketsBytes(request.memoryBytes),
      isTimed,
      band,
      countsAdds: refresh !== 'yes',
    };
  },
};
