import { invalidOption, optionName, phrase } from '../errors.js';
import {
  EXACTWINDOW_CAPACITY_PARAMETER,
  EXACTWINDOW_ELEMENTS_PARAMETER,
  EXACTWINDOW_ENTRY_BYTES,
  EXACTWINDOW_MILLISECONDS_PARAMETER,
  EXACTWINDOW_REFRESH_PARAMETER,
  EXACTWINDOW_SPARE_DIVISOR,
  EXACTWINDOW_TABLE_BYTES,
} from '../kernel/abi.js';
import { type Family, type ParameterRequest, parameterOption, wholeParameter } from './contract.js';
import { refreshParameter, refreshWord } from './refresh.js';

const MOST_ELEMENTS = 2 ** 36;
const MOST_MILLISECONDS = 2 ** 39;

/** Elements that the memory holds. With refresh, the ring has entries to spare, and one more. */
function capacityOf(memoryBytes: number, refreshes: boolean): number {
  const entries = refreshes ? 1 + 1 / EXACTWINDOW_SPARE_DIVISOR : 1;
  const besideBytes = refreshes ? EXACTWINDOW_ENTRY_BYTES : 0;
  return Math.floor((memoryBytes - besideBytes) / (entries * EXACTWINDOW_ENTRY_BYTES + EXACTWINDOW_TABLE_BYTES));
}

/** A size of the window as given by its parameter, by the option or by neither. */
function sizeOf(request: ParameterRequest, letter: 'W' | 't', asked: number | undefined): number | undefined {
  if (request.given[letter] === undefined) return asked;
  const most = letter === 'W' ? MOST_ELEMENTS : MOST_MILLISECONDS;
  const size = wholeParameter(request, letter, { least: 0, most }, () => 0);
  if (request.window === undefined || size === asked) return size;
  throw invalidOption({
    option: parameterOption(request, letter),
    given: size,
    expected: phrase`the same as ${optionName('window')}`,
    remedy: 'leave one of them out',
  });
}

/** W and t, of which one is 0. By default the largest window that is never full. */
function windowOf(request: ParameterRequest, capacity: number): { W: number; t: number } {
  const { window } = request;
  const W = sizeOf(request, 'W', window && ('elements' in window ? window.elements : 0));
  const t = sizeOf(request, 't', window && ('milliseconds' in window ? window.milliseconds : 0));
  if (!W && !t) return { W: capacity - 1, t: 0 };
  if (!W || !t) return { W: W ?? 0, t: t ?? 0 };
  throw invalidOption({
    option: parameterOption(request, 't'),
    given: t,
    expected: '0 for a window of elements',
    remedy: phrase`leave out either it or ${optionName(parameterOption(request, 'W'))}`,
  });
}

export const exactwindow: Family = {
  name: 'exactwindow',
  id: 14,
  title: 'Exact set of the fingerprints in a sliding window',
  source: 'a ring by age, and open addressing with linear probing (Knuth, volume 3, section 6.4)',
  rule: 'An added element is kept until the window has passed over it. Every repeat in the window is a duplicate, and none beyond it. When the memory is full, a new element fails with an error.',
  layouts: ['classic'],
  layout: 'classic',
  falsePositives: {
    kind: 'bounded',
    bound: 'n / 2^64 for n distinct keys in the window: two keys may share a fingerprint',
    source: 'uniform 64-bit hash',
  },
  falseNegatives: {
    kind: 'bounded',
    bound:
      'none up to W elements, or t milliseconds, after an add; with refresh every element is added, otherwise those reported distinct',
    source: 'every element in the window is kept',
  },
  hasWindow: true,
  parameters: [
    { letter: 'W', name: 'windowElements', description: 'the window in elements; 0 for a window in time' },
    { letter: 't', name: 'windowMilliseconds', description: 'the window in time; 0 for a window in elements' },
    refreshParameter,
    { letter: 'n', name: 'capacityElements', description: 'distinct elements that the memory holds', derived: true },
  ],
  resolve(request) {
    const refresh = refreshWord(request);
    const n = capacityOf(request.memoryBytes, refresh === 'yes');
    const { W, t } = windowOf(request, n);
    return {
      values: { W, t, refresh, n },
      kernel: [
        [EXACTWINDOW_CAPACITY_PARAMETER, n],
        [EXACTWINDOW_ELEMENTS_PARAMETER, W],
        [EXACTWINDOW_MILLISECONDS_PARAMETER, t],
        [EXACTWINDOW_REFRESH_PARAMETER, refresh === 'yes' ? 1 : 0],
      ],
      isTimed: t > 0,
      band: t > 0 ? { fromMilliseconds: t, toMilliseconds: t } : { fromElements: W, toElements: W },
    };
  },
};
