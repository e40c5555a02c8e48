// The parameters of families whose window has any size: a number of elements or a time.

import { invalidOption, optionName, phrase } from '../base/errors.js';
import { type FamilyParameter, type ParameterRequest, parameterOption, wholeParameter } from './contract.js';

const MAX_ELEMENTS = 2 ** 36;
const MAX_MILLISECONDS = 2 ** 39;

export const windowElementsParameter: FamilyParameter = {
  letter: 'W',
  name: 'windowElements',
  description: 'the window in elements; 0 for a window in time',
};

export const windowMillisecondsParameter: FamilyParameter = {
  letter: 't',
  name: 'windowMilliseconds',
  description: 'the window in time; 0 for a window in elements',
};

/** A size of the window as given by its parameter, by the option or by neither. */
function sizeOf(request: ParameterRequest, letter: 'W' | 't', windowSize: number | undefined): number | undefined {
  if (request.given[letter] === undefined) return windowSize;
  const most = letter === 'W' ? MAX_ELEMENTS : MAX_MILLISECONDS;
  const size = wholeParameter(request, letter, { least: 0, most }, () => 0);
  if (request.window === undefined || size === windowSize) return size;
  throw invalidOption({
    option: parameterOption(request, letter),
    given: size,
    expected: phrase`the same as ${optionName('window')}`,
    remedy: 'leave one of them out',
  });
}

/**
 * W and t, one of them 0; by default a window of `largest()` elements.
 * @throws FirstseenError E_PARAMETER when both are given, or one differs from the option.
 */
export function windowSize(request: ParameterRequest, largest: () => number): { W: number; t: number } {
  const { window } = request;
  const W = sizeOf(request, 'W', window && ('elements' in window ? window.elements : 0));
  const t = sizeOf(request, 't', window && ('milliseconds' in window ? window.milliseconds : 0));
  if (!W && !t) return { W: largest(), t: 0 };
  if (!W || !t) return { W: W ?? 0, t: t ?? 0 };
  throw invalidOption({
    option: parameterOption(request, 't'),
    given: t,
    expected: '0 for a window of elements',
    remedy: phrase`leave out either it or ${optionName(parameterOption(request, 'W'))}`,
  });
}
