// Snapshots of near-duplicates from before the words of Unicode: they go on with the words that they have.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NearAnswer } from '../../src/near/answer.ts';
import { loadNear } from '../../src/near/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';

const folder = join(import.meta.dirname, 'near-ascii-words');
const { documents, answers } = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as {
  documents: string[];
  answers: Record<string, NearAnswer[]>;
};

test.each(Object.keys(answers))('%s loads, saves to the same bytes and gives the recorded answers', async (name) => {
  const frozen = new Uint8Array(readFileSync(join(folder, `${name}.1st`)));
  const near = await loadNear(frozen);
  expect(near.settings.wordRules).toBe('ascii');
  expect(await save(near)).toEqual(frozen);
  expect(documents.map((document) => near.observe(document))).toEqual(answers[name]);
  expect((await loadNear(await save(near))).settings.wordRules).toBe('ascii');
});
