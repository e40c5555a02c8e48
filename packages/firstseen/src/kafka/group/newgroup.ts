// What is said of a new group that takes over from one that cannot go on.

import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';

/** A new group in place of this one, for remedies. */
export const newGroup: Phrase = phrase`another ${optionName('group')} with ${optionName('fromGroup')} and the name of this one, which goes on where it stopped`;

/** An error of a detector in the words of a group: a detector that is full keeps its memory and its algorithm as long as its group. */
export function inGroup(error: unknown): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_FULL') return error;
  const { problem, details } = error.data;
  const remedy = phrase`give more ${optionName('memory')}, or an ${optionName('algorithm')} that forgets, and ${newGroup}`;
  return new FirstseenError('E_FULL', problem, { ...details, remedy, cause: error });
}
