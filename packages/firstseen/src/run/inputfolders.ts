// Inputs that are folders: the files in them are read, in the order of their names unless another one was asked for.

import { statSync } from 'node:fs';
import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { listFiles } from '../io/file/folderfiles.js';
import { isFolder } from '../io/system/folders.js';
import { systemPath } from '../io/system/paths.js';
import { order as orderOption } from '../options/records.js';
import { sortedInputs } from './inputorder.js';
import type { SharedOptions } from './options.js';

type Asked = Pick<SharedOptions, 'inputs' | 'include' | 'exclude' | 'order' | 'isFollowing' | 'onWarning'>;

/** Names of files that programs have not finished, and of marks such as `_SUCCESS`: Spark and Hadoop do not read them either. */
const BESIDE = /(?:^|\/)[._][^/]*$/;

/** @throws FirstseenError E_USAGE for a pattern without a folder. */
export function checkPatterns({ inputs, include = [], exclude = [] }: Asked): void {
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

/** The files in folders. Without a pattern of those to include, files beside the data are left out, which is told. */
function filesIn({ inputs, include = [], exclude = [], onWarning }: Asked): string[] {
  const all = new Set(listFiles(inputs, { include, exclude }).map(({ path }) => path));
  if (include.length > 0) return [...all];
  // What is named as an input is read, whatever its name is.
  const isBeside = (path: string) => BESIDE.test(path) && !inputs.includes(path);
  const beside = [...all].filter((path) => isBeside(path) && statSync(systemPath(path)).size > 0);
  if (beside.length > 0) onWarning?.(besideWarning(beside));
  return [...all].filter((path) => !isBeside(path));
}

/** The inputs with the files of folders in place of the folders. @throws FirstseenError as `inputFiles` */
function listed(asked: Asked): readonly string[] {
  checkPatterns(asked);
  const folder = asked.inputs.find(isFolder);
  if (folder === undefined) return asked.inputs;
  if (asked.isFollowing) {
    throw new FirstseenError('E_USAGE', phrase`${optionName('isFollowing')} was given, but ${folder} is a folder`, {
      ...{ option: 'isFollowing', remedy: 'name the file to follow' },
    });
  }
  const files = filesIn(asked);
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
  pathOf: (input: Input) => string,
): readonly Input[] {
  const { order = orderOption.default } = asked;
  return order === 'given' ? inputs : sortedInputs(inputs, order, asked, pathOf);
}

/**
 * The inputs with the files of folders in place of the folders, in the order that was asked for.
 * @throws FirstseenError E_USAGE for a pattern without a folder, and for a folder that is to be followed; E_INPUT when folders have no
 * file that is read; and as `inOrder`.
 */
export function inputFiles(asked: Asked): readonly string[] {
  return inOrder(listed(asked), asked, (path) => path);
}
