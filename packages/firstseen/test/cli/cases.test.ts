// Runs the cases of cases/, and compares everything that they write. cases.process.test.ts runs some of them as processes of their own, and
// those run here too only in the long form.
// tools/cases/format.mjs describes the files of cases.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { pathOfTopic, readTopic, strayPaths, topicsIn } from '../../../../tools/cases/folder.mjs';
import { caseText, formatCases } from '../../../../tools/cases/format.mjs';
import { actualCase } from '../../../../tools/cases/run.mjs';
import { isLongForm } from '../support/form.js';
import { runCommand } from './support/runner.js';

const topics = topicsIn().map((topic) => readTopic(topic));

describe.each(topics)('$path', ({ cases }) => {
  const chosen = cases.filter(({ isProcess }) => !isProcess || isLongForm);
  test.each(chosen)('$name: $about', async (one) => {
    expect(caseText(await actualCase(one, runCommand))).toBe(caseText(one));
  });
});

describe('the files of cases', () => {
  test.each(topicsIn())('%s is in the form in which npm run cases writes it', (topic) => {
    expect(formatCases(readTopic(topic))).toBe(readFileSync(pathOfTopic(topic), 'utf8'));
  });

  test('has only topics, and files that cases name', () => {
    expect(strayPaths()).toEqual([]);
  });
});
