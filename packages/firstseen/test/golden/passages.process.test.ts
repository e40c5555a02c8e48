// Snapshots of passages, and a state of a run over passages, before the first release: every later version loads them and goes on with
// the same answers.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PassageAnswer } from '../../src/passages/detector.ts';
import { loadPassages } from '../../src/passages/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';
import { runFirstseen, temporaryFolder } from '../cli/support/command.ts';
import { textOf } from './passages/texts.ts';

const folder = join(import.meta.dirname, 'passages');
const { answers, spans } = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as {
  answers: Record<string, PassageAnswer[]>;
  spans: string;
};

/** 30 texts were observed before each snapshot was saved, and 30 follow. */
test.each(Object.keys(answers))('%s loads, saves to the same bytes and gives the recorded answers', async (name) => {
  const frozen = new Uint8Array(readFileSync(join(folder, `${name}.1st`)));
  const passages = await loadPassages(frozen);
  expect(passages.stats().texts).toBe(30);
  expect(await save(passages)).toEqual(frozen);
  expect(Array.from({ length: 30 }, (_, i) => passages.observe(textOf(30 + i)))).toEqual(answers[name]);
});

test('the state of a run is continued', async () => {
  const cwd = temporaryFolder();
  copyFileSync(join(folder, 'state'), join(cwd, 'state'));
  const flags = ['--by', 'ngram', '--ngram', '3', '--state', 'state'];
  const lines = Array.from({ length: 30 }, (_, i) => `${JSON.stringify({ id: i, text: textOf(30 + i) })}\n`);
  writeFileSync(join(cwd, 'later.jsonl'), lines.join(''));
  const { stdout, stderr } = await runFirstseen(['passages', 'later.jsonl', ...flags], { cwd });
  expect(stderr).toBe('');
  expect(stdout.toString()).toBe(spans);
});
