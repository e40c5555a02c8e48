// Declares the tests of inputs. A file for each folder lets workers share them.

import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';
import { sampleNote, sampleSeed } from '../support/form.ts';
import { type CorpusInput, type EntryHost, entriesFor, openHost, placeOf, problemOf } from './entries.ts';
import { readInputs } from './inputs.ts';

/** The folders with a test file of their own. */
const folders = ['compressed', 'csv', 'ndjson', 'states'] as const;

function folderOf({ name }: CorpusInput): string {
  return name.slice(0, name.indexOf('/'));
}

const inputs = readInputs();

/** The inputs of a folder, or of all folders that have no test file of their own. */
function inputsOf(folder: (typeof folders)[number] | 'others'): CorpusInput[] {
  const isOther = (name: string) => !folders.some((each) => each === name);
  return inputs.filter((input) => (folder === 'others' ? isOther(folderOf(input)) : folderOf(input) === folder));
}

/** Declares a test for each input of a folder: no entry breaks on it. README.md gives the origin of each input. */
export function testInputs(folder: (typeof folders)[number] | 'others'): void {
  let host: EntryHost;
  beforeAll(async () => {
    let removeFolder = () => {};
    host = await openHost(
      temporaryFolder((remove) => {
        removeFolder = remove;
      }),
    );
    return () => removeFolder();
  });

  test.for(inputsOf(folder))(`$name${sampleNote}`, async (input) => {
    const problems: string[] = [];
    for (const entry of entriesFor(input, placeOf(input, inputs), sampleSeed)) {
      const problem = await problemOf(entry, input, host);
      if (problem !== undefined) problems.push(`${entry.name}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
}
