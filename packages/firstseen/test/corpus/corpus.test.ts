// Runs every input that has ever caused a failure through every entry. README.md gives the origin of each input.

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';
import { type EntryHost, entriesFor, openHost, problemOf } from './entries.ts';
import { readInputs } from './inputs.ts';

const inputs = readInputs();

describe('an input that once caused a failure', () => {
  let host: EntryHost;
  let removeFolder: () => void;
  beforeAll(async () => {
    host = await openHost(
      temporaryFolder((remove) => {
        removeFolder = remove;
      }),
    );
    return () => removeFolder();
  });

  test.for(inputs)('$name', async (input) => {
    const problems: string[] = [];
    for (const entry of entriesFor(input)) {
      const problem = await problemOf(entry, input, host);
      if (problem !== undefined) problems.push(`${entry.name}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});

test('README.md lists exactly the inputs of the corpus', () => {
  const text = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const named = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(inputs.map(({ name }) => name));
});
