// Checks the names of the files of a run: which names are invalid, and which of them refer to the same file.

import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { begunPath } from '../checkpoint/begun.js';
import { partPath } from '../checkpoint/part.js';
import { temporaryPaths } from '../io/formats.js';
import { lockPath } from '../io/lock/entry.js';
import type { InputRequest } from '../io/source.js';
import { identityOf, identityOfDescriptor } from '../io/system/identity.js';
import { isObjectName, withoutSecrets } from '../io/system/objectname.js';
import { STANDARD_STREAM } from '../io/system/paths.js';
import { outputDescriptor } from '../io/system/standardstreams.js';

/** A file that is read, and its description in a message. */
export type FileUse = readonly [file: InputRequest, use: string];

type Written = {
  [Name in 'labels' | 'output' | 'duplicatesTo' | 'idsTo' | 'state' | 'statsTo' | 'report']?: string | undefined;
};

/** All files that a run writes: its outputs, their temporary names, its state, and the files beside the state. */
export function filesWritten({ output, duplicatesTo, idsTo, state }: Written): string[] {
  const kept = state === undefined ? [] : [state, partPath(state), begunPath(state), lockPath(state)];
  const outputs = [output, duplicatesTo, idsTo].filter((path) => path !== undefined);
  return [...outputs, ...temporaryPaths(outputs), ...kept];
}

/** The error for a name that is empty or a standard stream where a file is required. */
function notAFile(option: string, given: string): FirstseenError {
  return invalidOption({ code: 'E_USAGE', option, given, expected: 'the name of a file' });
}

/** The options that may name an object of a store. */
const mayBeObjects: ReadonlySet<string> = new Set(['output', 'duplicatesTo', 'idsTo']);

/** The error for an object where a file is required. */
function notAnObject(option: string, given: string): FirstseenError {
  const problem = phrase`${optionName(option)} is ${withoutSecrets(given)}, but has to be a file`;
  return new FirstseenError('E_USAGE', problem, { option, remedy: 'name a file, and copy it to the store afterwards' });
}

/** @throws FirstseenError E_USAGE for names that a file cannot have, of those that are written or have labels. */
export function checkNames({ labels, output, duplicatesTo, idsTo, state, statsTo, report }: Written): void {
  for (const [option, path] of Object.entries({ labels, output, duplicatesTo, idsTo, state, statsTo, report })) {
    if (path === '' || (path === STANDARD_STREAM && option !== 'output')) throw notAFile(option, path);
    if (path !== undefined && isObjectName(path) && !mayBeObjects.has(option)) throw notAnObject(option, path);
  }
}

/** @throws FirstseenError E_USAGE when standard output, to which a run writes, is the file of an input. */
export function checkStandardOutput(inputs: readonly InputRequest[]): void {
  const identity = identityOfDescriptor(outputDescriptor());
  const same = identity === undefined ? undefined : inputs.find((input) => input.identity?.() === identity);
  if (same === undefined) return;
  throw new FirstseenError('E_USAGE', `standard output is the same file as ${same.name}`, {
    remedy: 'redirect it to another file',
  });
}

/** @throws FirstseenError E_USAGE when a file would be both read and written, or written twice. */
export function checkApart(read: readonly FileUse[], written: readonly string[]): void {
  const seen = new Map(read.map(([file, use]) => [file.identity?.(), use]));
  for (const path of written) {
    const identity = identityOf(path);
    const other = seen.get(identity);
    if (other && !path.startsWith('/dev/')) {
      throw new FirstseenError('E_USAGE', `${path} would be written, but it is also ${other}`, {
        given: path,
        remedy: 'name another file',
      });
    }
    seen.set(identity, 'another output or the state');
  }
}
