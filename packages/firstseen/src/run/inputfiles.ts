// The inputs that are read: the files in folders in place of the folders, in the order that was asked for. Neither the folders that files are
// in, nor the file system, nor the locale has an influence on the order by name.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { listFiles } from '../io/file/folderfiles.js';
import { folderNames } from '../io/file/foldersink.js';
import type { InputOrder } from '../io/policies.js';
import type { FilePlace, InputRequest } from '../io/source.js';
import { requestsOf } from '../io/sources.js';
import type { OpenStores } from '../io/store/openstores.js';
import { systemPath } from '../io/system/paths.js';
import { order as orderOption } from '../options/records.js';
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
 * @throws FirstseenError E_USAGE when they have another order, or none; E_INPUT when the time of one cannot be read.
 */
export function sortedInputs<Input extends InputRequest>(
  inputs: readonly Input[],
  order: SortedOrder,
  { inputs: roots, isFollowing }: Pick<SharedOptions, 'inputs' | 'isFollowing'>,
): readonly Input[] {
  const leaveOut = phrase`leave ${optionName('order')} out`;
  if (isFollowing) {
    refuse(order, phrase`${optionName('isFollowing')} reads the last input on as it grows`, leaveOut);
  }
  const files = new Map<string, { input: Input; file: FilePlace }>();
  for (const input of inputs) {
    const { name, file } = input;
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

type Asked = Pick<SharedOptions, 'inputs' | 'include' | 'exclude' | 'order' | 'isFollowing' | 'onWarning'>;

/** Tells if an input is a folder. */
export function isFolder({ file }: InputRequest): boolean {
  return file?.isFolder() ?? false;
}

/** Names of files that programs have not finished, and of marks such as `_SUCCESS`: Spark and Hadoop do not read them either. */
const BESIDE = /(?:^|\/)[._][^/]*$/;

/** @throws FirstseenError E_USAGE for a pattern without a folder. */
export function checkPatterns({ include = [], exclude = [] }: Asked, inputs: readonly InputRequest[]): void {
  const [pattern] = [...include, ...exclude];
  if (pattern === undefined || inputs.some(isFolder)) return;
  const option = include.length > 0 ? 'include' : 'exclude';
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} ${pattern} was given, but no input is a folder`, {
    option,
    given: pattern,
    remedy: 'name a folder, or leave the pattern out',
  });
}

/** The name of a list of files in a message. */
export function listName([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Returns the warning about files with content that are not read. */
function besideWarning(paths: readonly string[]): FirstseenError {
  const count = formatCounted(paths.length, 'file');
  return new FirstseenError(
    'E_INPUT',
    `${count} in folders, such as ${paths[0]}, not read: the names begin with . or _`,
    {
      ...{ option: 'include', remedy: phrase`give ${optionName('include')} with a pattern to read them` },
    },
  );
}

/** The files in folders, each once. Without a pattern of those to include, files beside the data are left out, which is told. */
function filesIn({ include = [], exclude = [], onWarning }: Asked, inputs: readonly InputRequest[]): InputRequest[] {
  const files = [
    ...new Map(listFiles(inputs, { include, exclude }).map((input) => [input.file?.path, input])).values(),
  ];
  if (include.length > 0) return files;
  // What is named as an input is read, whatever its name is.
  const named = new Set(inputs.map(({ file }) => file?.path));
  const isBeside = ({ file }: InputRequest) => file !== undefined && BESIDE.test(file.path) && !named.has(file.path);
  const beside = files.flatMap((input) => (isBeside(input) && input.file ? [input.file] : []));
  const withContent = beside.filter((file) => file.hasContent());
  if (withContent.length > 0) onWarning?.(besideWarning(withContent.map(({ path }) => path)));
  return files.filter((input) => !isBeside(input));
}

/** The inputs with the files of folders in place of the folders. @throws FirstseenError as `inputFiles` */
function listed(options: Asked, inputs: readonly InputRequest[]): readonly InputRequest[] {
  checkPatterns(options, inputs);
  const folder = inputs.find(isFolder);
  if (folder === undefined) return inputs;
  if (options.isFollowing) {
    throw unfitOption('isFollowing', `${folder.name} is a folder`, { remedy: 'name the file to follow' });
  }
  const files = filesIn(options, inputs);
  if (files.length > 0) return files;
  const hasPatterns = (options.include ?? []).length + (options.exclude ?? []).length > 0;
  throw new FirstseenError('E_INPUT', `no file is read in ${listName(options.inputs)}`, {
    remedy: hasPatterns
      ? phrase`check ${optionName('include')} and ${optionName('exclude')}`
      : 'name a folder with files',
  });
}

/**
 * Inputs in the order that was asked for.
 * @throws FirstseenError as `sortedInputs`
 */
export function inOrder<Input extends InputRequest>(
  inputs: readonly Input[],
  asked: Pick<Asked, 'inputs' | 'order' | 'isFollowing'>,
): readonly Input[] {
  const { order = orderOption.default } = asked;
  return order === 'given' ? inputs : sortedInputs(inputs, order, asked);
}

/** As `inputFiles`, for inputs that are requests already. */
export function filesOfInputs(inputs: readonly InputRequest[], asked: Asked): readonly InputRequest[] {
  return inOrder(listed(asked, inputs), asked);
}

/**
 * The inputs with the files of folders in place of the folders, in the order that was asked for.
 * @throws FirstseenError E_USAGE for a pattern without a folder, and for a folder that is to be followed; E_INPUT when folders have no
 * file that is read; and as `inOrder`.
 */
export async function inputFiles(asked: Asked, stores?: OpenStores): Promise<readonly InputRequest[]> {
  return filesOfInputs(await requestsOf(asked.inputs, stores), asked);
}
