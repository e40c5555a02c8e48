// The list of input files that --files0-from names, as find -print0 writes it.

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { FirstseenError } from '../base/errors.js';
import { inputName, STANDARD_STREAM, systemPath } from '../io/system/paths.js';
import { standardStreams } from '../io/system/standardstreams.js';
import { systemDetails, systemProblem } from '../io/system/systemproblem.js';
import { splitAtNul } from './arguments.js';

const FLAG = '--files0-from';

function refuse(problem: string, remedy: string): never {
  throw new FirstseenError('E_USAGE', `${FLAG}: ${problem}`, { remedy });
}

async function contentOf(list: string): Promise<Buffer> {
  try {
    return await (list === STANDARD_STREAM ? buffer(standardStreams().input) : readFile(systemPath(list)));
  } catch (cause) {
    const { problem } = systemProblem(cause, 'read');
    throw new FirstseenError('E_INPUT', `cannot read ${inputName(list)}: ${problem}`, systemDetails(cause, 'read'));
  }
}

/**
 * The names in a list. The last one may lack its zero byte.
 * @param files named as arguments, beside the list
 * @throws FirstseenError E_USAGE if the list is empty, has an empty name, or comes with other files; E_INPUT if it cannot be read.
 */
export async function listedFiles(list: string, files: readonly string[]): Promise<readonly string[]> {
  if (files.length > 0) refuse(`${files[0]} was named too`, 'add it to the list, or name all files as arguments');
  const content = await contentOf(list);
  const name = inputName(list);
  if (!content.includes(0) && content.includes('\n')) {
    const convert = list === STANDARD_STREAM ? "tr '\\n' '\\0' |" : `tr '\\n' '\\0' < ${list} |`;
    refuse(
      `${name} has line ends and no zero byte, but each name ends with a zero byte`,
      `convert it with ${convert} firstseen ${FLAG} -, write it with find -print0, or end the one name with a zero byte`,
    );
  }
  const names = splitAtNul(content.at(-1) === 0 ? content : Buffer.concat([content, Buffer.of(0)]));
  if (content.length === 0) refuse(`${name} lists no files`, 'list one or more files');
  const empty = names.indexOf('');
  if (empty !== -1) refuse(`name ${empty + 1} in ${name} is empty`, 'separate the names by one zero byte each');
  if (list === STANDARD_STREAM && names.includes(STANDARD_STREAM)) {
    refuse(
      'standard input is the list, so it cannot be an input',
      'leave - out of the list, or keep the list in a file',
    );
  }
  return names;
}
