// Runs the cases that say so as processes, and the other ones too in the long form: what a process writes to its streams has to be what
// cases.test.ts finds in the test process.

import { describe, expect, test } from 'vitest';
import { readTopic, topicsIn } from '../../../../tools/cases/folder.mjs';
import { caseText } from '../../../../tools/cases/format.mjs';
import { actualCase } from '../../../../tools/cases/run.mjs';
import { isLongForm } from '../support/form.js';
import { runFirstseen } from './support/command.js';

const topics = topicsIn()
  .map((topic) => readTopic(topic))
  .map(({ path, cases }) => ({ path, cases: cases.filter(({ isProcess }) => isProcess || isLongForm) }))
  .filter(({ cases }) => cases.length > 0);

describe.each(topics)('$path', ({ cases }) => {
  test.concurrent.for(cases)('$name: $about', async (one) => {
    expect(caseText(await actualCase(one, runFirstseen))).toBe(caseText(one));
  });
});
