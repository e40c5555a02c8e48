// Inputs that are folders: the files in them are read, in the order of their names unless another one was asked for.

import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { listFiles } from '../io/file/folderfiles.js';
import type { InputRequest } from '../io/source.js';
import { requestOf } from '../io/sources.js';
import { order as orderOption } from '../options/records.js';
import { sortedInputs } from './inputorder.js';
import type { SharedOptions } from './runoptions.js';

type Asked = Pick<SharedOptions, 'inputs' | 'include' | 'exclude' | 'order' | 'isFollowing' | 'onWarning'>;

/** The requests for inputs as they are named. */
export function requestsOf(inputs: readonly string[]): readonly InputRequest[] {
  return inputs.map(requestOf);
}

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
  const requests = listFiles(inputs, { include, exclude }).map(({ input }) => input);
  const files = [...new Map(requests.map((input) => [input.file?.path, input])).values()];
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
function listed(asked: Asked, inputs: readonly InputRequest[]): readonly InputRequest[] {
  checkPatterns(asked, inputs);
  const folder = inputs.find(isFolder);
  if (folder === undefined) return inputs;
  if (asked.isFollowing) {
    throw new FirstseenError(
      'E_USAGE',
      phrase`${optionName('isFollowing')} was given, but ${folder.name} is a folder`,
      { option: 'isFollowing', remedy: 'name the file to follow' },
    );
  }
  const files = filesIn(asked, inputs);
  if (files.length > 0) return files;
  const hasPatterns = (asked.include ?? []).length + (asked.exclude ?? []).length > 0;
  throw new FirstseenError('E_INPUT', `no file is read in ${listName(asked.inputs)}`, {
    remedy: hasPatterns
      ? phrase`check ${optionName('include')} and ${optionName('exclude')}`
      : 'name a folder with files',
  });
}

/**
 * Inputs in the order that was asked for.
 * @throws FirstseenError as `sortedInputs`
 */
export function inOrder<Input>(
  inputs: readonly Input[],
  asked: Pick<Asked, 'inputs' | 'order' | 'isFollowing'>,
  inputOf: (input: Input) => InputRequest,
): readonly Input[] {
  const { order = orderOption.default } = asked;
  return order === 'given' ? inputs : sortedInputs(inputs, order, asked, inputOf);
}

/**
 * The inputs with the files of folders in place of the folders, in the order that was asked for.
 * @throws FirstseenError E_USAGE for a pattern without a folder, and for a folder that is to be followed; E_INPUT when folders have no
 * file that is read; and as `inOrder`.
 */
export function inputFiles(asked: Asked): readonly InputRequest[] {
  return inOrder(listed(asked, requestsOf(asked.inputs)), asked, (input) => input);
}
