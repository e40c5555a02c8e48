// Snapshots and a state of verified near-duplicates, before the first release: every later version loads them and goes on with the same
// answers, of fingerprints, of odd sketches, and of samples of long documents.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NearAnswer } from '../../src/near/answer.ts';
import { loadNear } from '../../src/near/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';
import { runFirstseen, temporaryFolder } from '../cli/support/command.ts';

const folder = join(import.meta.dirname, 'near-sketches');
const { answers, kept } = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as {
  answers: Record<string, NearAnswer[]>;
  kept: string;
};

/** Words of a document by a linear congruence. Of three documents in a row, the second and the third are the first with more and more words replaced. */
function documentOf(i: number, words: number): string {
  let state = i - (i % 3);
  let edits = i + 1;
  const next = (value: number) => (value * 1664525 + 1013904223) % 2 ** 32;
  const text: string[] = [];
  for (let word = 0; word < words; word++) {
    state = next(state);
    edits = next(edits);
    const isEdited = edits < (2 ** 32 * (i % 3)) / 60;
    text.push(`w${isEdited ? `${edits}e` : state}`);
  }
  return text.join(' ');
}

/** The documents of each snapshot: 30 were added before it was saved, and 30 follow. */
const wordsOf = { fingerprints: 90, odd: 600, sampled: 7000, small: 300, confident: 300, explained: 300, keyed: 300 };

test.each(Object.entries(wordsOf))(
  '%s loads, saves to the same bytes and gives the recorded answers',
  async (name, words) => {
    const frozen = new Uint8Array(readFileSync(join(folder, `${name}.1st`)));
    const near = await loadNear(frozen);
    expect(near.observed).toBe(30);
    expect(await save(near)).toEqual(frozen);
    const found = Array.from({ length: 30 }, (_, i) => near.observe(documentOf(20 + i, words), `document ${20 + i}`));
    expect(found).toEqual(answers[name]);
  },
);

test('the state of a run is continued', async () => {
  const cwd = temporaryFolder();
  copyFileSync(join(folder, 'state'), join(cwd, 'state'));
  const lines = Array.from({ length: 30 }, (_, i) => `${documentOf(20 + i, 60)}\n`);
  writeFileSync(join(cwd, 'later.txt'), lines.join(''));
  const { stdout, stderr } = await runFirstseen(['near', '-f', 'lines', 'later.txt', '--state', 'state'], { cwd });
  expect(stderr).toBe('');
  expect(lines.map((line) => (stdout.toString().includes(line) ? 1 : 0)).join('')).toBe(kept);
});
