import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { RunNote } from '../../../src/checkpoint/note.js';
import { noCounts } from '../../../src/framing/counts.js';
import { exactJob } from '../../../src/jobs/exact/job.js';
import { openRun } from '../../../src/run/open.js';
import { resolveRun } from '../../../src/run/resolve.js';
import type { SharedOptions } from '../../../src/run/runoptions.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { messagesOf, readTo } from './support.js';

const text = 'id\na\na\n';
const source = messagesOf('in.csv', text);
let folder = '';

beforeEach(() => {
  folder = temporaryFolder();
});

function resolvedOf(options: Partial<SharedOptions>) {
  const asked = { detector: { algorithm: 'exact' as const, memory: 4096 } };
  const filled = fillDefaults({ inputs: ['in.csv'], output: join(folder, 'out'), ...options });
  return resolveRun(
    { format: 'csv', key: { keys: ['id'] }, job: exactJob, asked, sources: [source], options: filled },
    undefined,
  );
}

test.each([
  ['distinct', 'id\na\n'],
  ['duplicates', 'id\na\n'],
  ['verdicts', 'distinct\nduplicate\n'],
] as const)('the main output receives what was asked for: %s', async (emit, expected) => {
  const run = await openRun(resolvedOf({ emit }), undefined);
  await run.toEnd();
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(expected);
});

test('the second output receives the duplicates', async () => {
  const run = await openRun(resolvedOf({ duplicatesTo: join(folder, 'again'), emit: 'verdicts' }), undefined);
  await run.toEnd();
  expect(readFileSync(join(folder, 'again'), 'utf8')).toBe('id\na\n');
});

test('a run that continues does not write the header again, and refuses an output that was removed', async () => {
  const resolved = resolvedOf({});
  const resumes: RunNote = {
    ...{
      inputs: [source.note],
      outputs: resolved.outputs.notes,
      emit: 'distinct',
      partial: 'wait',
      input: 0,
      offset: text.length,
      lines: 3,
    },
    position: source.positionAt(text.length),
    reads: [readTo(source, text.length, true)],
    header: Buffer.from('id\n').toString('base64'),
    positions: [{ fileBytes: 5, pending: '', owesNewline: false }],
    ...{ counts: noCounts, isFinished: true },
  };
  const starts = [{ read: readTo(source, text.length, true), isRead: true }];
  const state = { ...resolved.state, resumes };
  const continued = { ...resolved, state, inputs: { ...resolved.inputs, starts } };
  await expect(openRun(continued, undefined)).rejects.toThrow('is missing');
  writeFileSync(join(folder, 'out'), 'id\na\n');
  await (await openRun(continued, undefined)).toEnd();
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('id\na\n');
});

test('the error for an output that cannot be opened names the output', async () => {
  const output = join(folder, 'missing', 'out');
  await expect(openRun(resolvedOf({ output }), undefined)).rejects.toMatchObject({
    code: 'E_OUTPUT',
    message: expect.stringContaining(output),
  });
});
