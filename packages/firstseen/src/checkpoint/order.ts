// The order in which a run with a state reads its inputs, where it is not the one in which they were given.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { InputOrder } from '../io/policies.js';
import type { Source } from '../io/source.js';
import { order as orderOption } from '../options/records.js';
import { type BeginningRun, inputsBegun, knownName } from './begun.js';
import type { StateNote } from './note.js';

/**
 * The inputs of a run in the order in which the unfinished run with the state was to read them, because times of files may have changed
 * since it began. Inputs that it did not have come after them.
 * @param note of the state, if there is one
 */
export function inNotedOrder(state: string, run: BeginningRun, note: StateNote | undefined): readonly Source[] {
  const unfinished = note && !note.run.isFinished ? note.run.inputs.map(knownName) : [];
  const noted = inputsBegun(state, run) ?? unfinished;
  const places = new Map(noted.map((name, place) => [name, place]));
  const placeOf = ({ note: input }: Source) => places.get(knownName(input)) ?? noted.length;
  return run.sources.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** @throws FirstseenError E_STATE_RUN for an unfinished run that would go on in another order than it has. */
export function refuseOrder(
  { path, note }: { path: string; note: StateNote },
  now: InputOrder = orderOption.default,
): never {
  const { order = orderOption.default } = note.run;
  const option = optionName('order');
  const problem = phrase`state ${path} holds an unfinished run with ${option} ${order}, but this run has ${option} ${now}`;
  throw new FirstseenError('E_STATE_RUN', problem, {
    ...{ option: 'order', given: now },
    remedy: phrase`give ${option} ${order} to finish it, or use ${optionName('isNewRun')} to keep only its detector`,
  });
}
