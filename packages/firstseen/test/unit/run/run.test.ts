// Runs over a kind of input that is not a file. The run stores its positions without reading them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunNote } from '../../../src/checkpoint/note.js';
import type { InputPosition, Source } from '../../../src/io/source.js';
import { exactJob } from '../../../src/jobs/exact/job.js';
import { openRun } from '../../../src/run/open.js';
import { resolveRun } from '../../../src/run/resolve.js';
import type { SharedOptions } from '../../../src/run/runoptions.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { messagesOf, readTo } from './support.js';

const detector = { algorithm: 'exact' as const, memory: 4096 };

function resolvedOf(sources: readonly Source[], options: Partial<SharedOptions>) {
  const request = { format: 'lines', key: { keys: [] }, job: exactJob, asked: { detector }, sources } as const;
  return resolveRun({ ...request, options: fillDefaults({ inputs: ['in'], ...options }) }, undefined);
}

test('reads each input from start to end', async () => {
  const output = join(temporaryFolder(), 'out');
  const opened: (InputPosition | undefined)[] = [];
  const sources = [messagesOf('one', 'a\nb\na\n', opened), messagesOf('two', 'b\nc\n', opened)];
  const run = await openRun(resolvedOf(sources, { output }), undefined);
  const stats = await run.toEnd();
  expect(readFileSync(output, 'utf8')).toBe('a\nb\nc\n');
  expect(opened).toEqual([undefined, undefined]);
  expect(stats).toMatchObject({ records: 5, distinct: 3, duplicates: 2, bytesIn: 10, bytesOut: 6, interrupted: false });
});

test('continues an input at the stored position, also if it is not a byte offset', async () => {
  const output = join(temporaryFolder(), 'out');
  const opened: (InputPosition | undefined)[] = [];
  const source = messagesOf('in', 'a\nb\nc\nd\n', opened);
  const resolved = resolvedOf([source], { output });
  const resumes: RunNote = {
    ...{
      inputs: [source.note],
      outputs: resolved.outputs.notes,
      emit: 'distinct',
      partial: 'wait',
      input: 0,
      offset: 4,
      lines: 2,
    },
    position: source.positionAt(4),
    reads: [readTo(source, 4)],
    header: null,
    positions: [{ fileBytes: 0, pending: '', owesNewline: false }],
    counts: { ...(await import('../../../src/framing/counts.js')).noCounts, records: 2, distinct: 2, bytesIn: 4 },
    isFinished: false,
  };
  const continued = {
    ...resolved,
    state: { ...resolved.state, resumes },
    inputs: { ...resolved.inputs, starts: [{ read: readTo(source, 4), isRead: false }] },
  };
  const stats = await (await openRun(continued, undefined)).toEnd();
  expect(opened).toEqual([{ message: 2 }]);
  expect(readFileSync(output, 'utf8')).toBe('c\nd\n');
  expect(stats).toMatchObject({ records: 2, distinct: 2, bytesIn: 4, resumed: true });
});

test('a failed run reports its counts and keeps the records that it has written', async () => {
  const output = join(temporaryFolder(), 'out');
  const failing = { ...messagesOf('two', ''), open: () => Promise.reject(new Error('broken')) };
  const run = await openRun(resolvedOf([messagesOf('one', 'a\n'), failing], { output }), undefined);
  let told: unknown;
  await expect(
    run.toEnd((stats) => {
      told = stats;
    }),
  ).rejects.toThrow('broken');
  expect(told).toMatchObject({ records: 1, interrupted: false, error: 'unexpected' });
  expect(readFileSync(output, 'utf8')).toBe('a\n');
});
