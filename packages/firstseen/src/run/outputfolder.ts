// Checks an output folder: whether each input has a file of its own in it, which can be written as its name says.

import { join, posix, sep } from 'node:path';
import { optionName, type Phrase, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { outputCompression } from '../io/compression/compressions.js';
import { folderNames, folderOutput } from '../io/file/foldersink.js';
import { formatOfInput, formatOfOutput } from '../io/formats.js';
import { writtenFormatOf } from '../io/policies.js';
import type { InputRequest } from '../io/source.js';
import { realPathOf } from '../io/system/identity.js';
import { isObjectName, withoutSecrets } from '../io/system/objectname.js';
import type { InputFormatName } from '../records/formats.js';
import { checkApart } from './names.js';
import type { SettledOptions } from './settled.js';

function refuse(why: Phrase, remedy: Phrase, given: string): never {
  throw unfitOption('outputFolder', why, { given, remedy });
}

/** @throws FirstseenError E_USAGE for an option that an output folder does not take. */
function checkOthers({ output: { output, isCompressed, outputFolder = '' }, input }: SettledOptions): void {
  const others = [
    ['output', output !== undefined],
    ['isCompressed', isCompressed],
    ['isFollowing', input.isFollowing],
  ] as const;
  const other = others.find(([, isGiven]) => isGiven)?.[0];
  if (other !== undefined) refuse(phrase`so was ${optionName(other)}`, phrase`leave one of them out`, outputFolder);
}

/** @throws FirstseenError E_USAGE when the folder is a folder of the inputs, or in one. */
function checkOutside(folder: string, given: readonly string[], inputs: readonly InputRequest[]): void {
  const outside = folderOutput(realPathOf(folder));
  const read = new Set(inputs.map(({ file }) => file?.path));
  for (const path of given) {
    if (read.has(path) || !outside.startsWith(folderOutput(realPathOf(path)))) continue;
    refuse(phrase`it is in the input ${path}`, phrase`name a folder outside of it`, folder);
  }
}

/**
 * Checks that every input has a file of its own in the output folder.
 * @param format of the records of the inputs
 * @throws FirstseenError E_USAGE
 */
export function checkOutputFolder(
  folder: string,
  options: SettledOptions,
  inputs: readonly InputRequest[],
  format: InputFormatName,
): void {
  const { emit } = options.output;
  if (folder === '') refuse(phrase`it is empty`, phrase`name a folder`, folder);
  if (isObjectName(folder)) {
    refuse(phrase`it is in a store`, phrase`name a folder, and copy its files to the store`, withoutSecrets(folder));
  }
  checkOthers(options);
  const { inputs: inputNames } = options.input;
  checkOutside(folder, inputNames, inputs);
  const written = writtenFormatOf(emit, format);
  const nameOf = folderNames({ given: inputNames, written });
  const inputOf = new Map<string, string>();
  for (const input of inputs) {
    if (!input.file) refuse(phrase`${input.name} has no name`, phrase`name files`, folder);
    const { path } = input.file;
    const name = posix.normalize(nameOf(path));
    const other = inputOf.get(name);
    if (other !== undefined) {
      const remedy = phrase`give the folder that has both, or run the command for each`;
      refuse(phrase`${other} and ${path} would both be written as ${name}`, remedy, folder);
    }
    inputOf.set(name, path);
    const note = { path: join(folder, name), isCompressed: false };
    outputCompression(note);
    const { container, name: named } = formatOfOutput(note);
    if (container && !formatOfInput(input, format).container) {
      const problem = phrase`the name of ${path} says ${named}, while it is read as ${format}`;
      refuse(problem, phrase`leave ${optionName('format')} out, or rename the file`, folder);
    }
  }
  const paths = [...inputOf.keys()].map((name) => join(folder, name.split('/').join(sep)));
  checkApart(
    inputs.map((input) => [input, 'an input']),
    paths,
  );
}
