// Runs that are interrupted inside a record that is too long, and then continue.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runFiles } from '../../../src/jobs/exact/run.js';
import type { RunOptions } from '../../../src/run/runoptions.js';
import { temporaryFolder } from '../../cli/support/command.js';

/** Larger than several chunks of the input. */
const longBytes = 5 * 2 ** 20;

function optionsIn(folder: string, onError: 'drop' | 'pass'): RunOptions {
  return {
    inputs: [join(folder, 'in.csv')],
    keys: ['1'],
    hasHeader: false,
    onError,
    maxRecordBytes: 1000,
    detector: { algorithm: 'exact', memory: 65536 },
    output: join(folder, 'out.csv'),
    state: join(folder, 'state'),
  };
}

test.each(['drop', 'pass'] as const)(
  'a run with onError %s writes the same as without the interruption',
  async (onError) => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'in.csv'), `a\nb\n"${'x\n'.repeat(longBytes / 2)}"\nb\nc\n`);
    const options = optionsIn(folder, onError);
    const output = join(folder, 'whole.csv');
    const whole = await runFiles({ ...options, output, state: join(folder, 'other') });
    const expected = readFileSync(output);

    const stop = new AbortController();
    const stopped = await runFiles({ ...options, signal: stop.signal, onElements: () => stop.abort() });
    expect(stopped).toMatchObject({ interrupted: true, records: 2, tooLong: 0 });
    const { records, distinct, duplicates, tooLong, bytesIn, bytesOut } = whole;
    const { allRuns } = await runFiles(options);
    expect(allRuns).toMatchObject({ records, distinct, duplicates, tooLong, bytesIn, bytesOut });
    expect(readFileSync(join(folder, 'out.csv')).equals(expected)).toBe(true);
  },
);
