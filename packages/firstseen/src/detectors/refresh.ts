// The parameter of families with a window that says whether a duplicate restarts its window.

import { invalidOption, optionName, phrase } from '../base/errors.js';
import { type FamilyParameter, type ParameterRequest, wordParameter } from './contract.js';

const refreshChoices = ['no', 'yes'] as const;

export const refreshParameter: FamilyParameter = {
  letter: 'refresh',
  name: 'refresh',
  description: 'whether a duplicate is added again, which restarts its window',
  words: refreshChoices,
};

/** @throws FirstseenError E_PARAMETER when the option and the parameter differ. */
export function refreshWord(request: ParameterRequest): (typeof refreshChoices)[number] {
  const { given: parameters, refresh } = request;
  const values = refresh === undefined ? parameters : { refresh: refreshChoices[refresh ? 1 : 0], ...parameters };
  const word = wordParameter({ ...request, given: values }, 'refresh', refreshChoices);
  if (refresh !== undefined && (word === 'yes') !== refresh) {
    throw invalidOption({
      option: 'parameters.refresh',
      given: word,
      expected: phrase`the same as ${optionName('refresh')}`,
      remedy: 'leave one of them out',
    });
  }
  return word;
}
