// The order of inputs, where it is not the one in which they were given. Neither the folders that they are in, nor the file system, nor
// the locale has an influence on it.

import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import { folderNames } from '../io/file/foldersink.js';
import type { InputOrder } from '../io/policies.js';
import type { FilePlace, InputRequest } from '../io/source.js';
import { systemPath } from '../io/system/paths.js';
import type { SharedOptions } from './runoptions.js';

/** An order that has to be found. */
export type SortedOrder = Exclude<InputOrder, 'given'>;

interface Sortable<Input> {
  input: Input;
  name: Buffer;
  path: Buffer;
  seconds: number;
}

function refuse(order: SortedOrder, why: Phrase, remedy: Phrase): never {
  const option = 'order';
  const problem = phrase`${optionName(option)} ${order} was given, but ${why}`;
  throw new FirstseenError('E_USAGE', problem, { option, given: order, remedy });
}

/** @throws FirstseenError E_USAGE for what is not a file, E_INPUT for what cannot be read */
function modifiedSeconds(file: FilePlace, order: SortedOrder): number {
  const why = phrase`${file.path} is not a file, so it has no time`;
  return file.modifiedSeconds() ?? refuse(order, why, phrase`copy it to a file, or leave it out`);
}

function bytesOf(path: string): Buffer {
  return Buffer.from(systemPath(path));
}

/**
 * Compares two inputs of the same time: by the bytes of their names, and those of their paths if the names are the
 * same.
 */
function byName<Input>(one: Sortable<Input>, other: Sortable<Input>): number {
  return one.name.compare(other.name) || one.path.compare(other.path);
}

/** The sign of the difference of times, by which inputs are ordered before their names are compared. */
const signs: Readonly<Record<SortedOrder, number>> = { name: 0, oldest: 1, newest: -1 };

/**
 * Inputs in an order. An input that was given several times is read once.
 * @param requestOf the request for an input
 * @throws FirstseenError E_USAGE when they have another order, or none; E_INPUT when the time of one cannot be read.
 */
export function sortedInputs<Input>(
  inputs: readonly Input[],
  order: SortedOrder,
  { inputs: roots, isFollowing }: Pick<SharedOptions, 'inputs' | 'isFollowing'>,
  requestOf: (input: Input) => InputRequest,
): readonly Input[] {
  const leaveOut = phrase`leave ${optionName('order')} out`;
  if (isFollowing) {
    refuse(order, phrase`${optionName('isFollowing')} reads the last input on as it grows`, leaveOut);
  }
  const files = new Map<string, { input: Input; file: FilePlace }>();
  for (const input of inputs) {
    const { name, file } = requestOf(input);
    if (!file) refuse(order, phrase`${name} has no name and no time`, phrase`name files, or ${leaveOut}`);
    files.set(file.path, { input, file });
  }
  const nameOf = folderNames({ given: roots, written: undefined });
  const sign = signs[order];
  const sortable = [...files].map(([path, { input, file }]) => ({
    ...{ input, name: bytesOf(nameOf(path)), path: bytesOf(path) },
    seconds: sign === 0 ? 0 : modifiedSeconds(file, order),
  }));
  sortable.sort((one, other) => sign * (one.seconds - other.seconds) || byName(one, other));
  return sortable.map(({ input }) => input);
}
