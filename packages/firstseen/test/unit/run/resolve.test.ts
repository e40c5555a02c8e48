// A resolved run is a pure function of the request, so these tests need no files.

import { describe, expect, test } from 'vitest';
import { commonFormat } from '../../../src/io/formats.js';
import type { FileNote } from '../../../src/io/source.js';
import { requestOf } from '../../../src/io/sources.js';
import { exactJob } from '../../../src/jobs/exact/job.js';
import type { PlannedOptions } from '../../../src/plan/auto.js';
import type { RunRequest } from '../../../src/run/resolve/request.js';
import { resolveRun } from '../../../src/run/resolve.js';
import type { ResolvedRun } from '../../../src/run/resolved.js';
import type { SharedOptions } from '../../../src/run/runoptions.js';
import { fillDefaults } from '../../../src/run/settled.js';
import { messagesOf } from './support.js';

const sources = [messagesOf('in', 'a\nb\n')];

type Asked = { detector: PlannedOptions };
type Changes = Partial<Omit<RunRequest<Asked>, 'options'>> & { options?: Partial<SharedOptions> };

function runRequestOf({ options = {}, ...changes }: Changes = {}): RunRequest<Asked> {
  return {
    options: fillDefaults({ inputs: ['in'], ...options }),
    ...{ format: 'lines', key: { keys: [] }, job: exactJob, asked: { detector: { memory: 4096 } }, sources },
    ...changes,
  };
}

describe('a resolved run', () => {
  test('is the same for the same request', () => {
    const withoutJob = ({ detector, ...others }: ResolvedRun) => ({ ...others, settings: detector.settings });
    const [first, second] = [resolveRun(runRequestOf(), undefined), resolveRun(runRequestOf(), undefined)];
    expect(withoutJob(second)).toEqual(withoutJob(first));
  });

  test('contains the scan settings, the given options and the regions of memory', () => {
    const request = runRequestOf({
      format: 'ndjson',
      key: { keys: ['a.b', 'c'] },
      options: { duplicatesTo: 'again', output: 'out' },
    });
    const resolved = resolveRun(request, undefined);
    expect(resolved.records.scan).toMatchObject({ format: 'ndjson', fingerprint: 'xxh64', paths: [['a', 'b'], ['c']] });
    expect(resolved.state.asked).toEqual({ memory: 4096 });
    expect(resolved.outputs.notes).toEqual(['out', 'again'].map((path) => ({ path, isCompressed: false })));
    expect(resolved.clock.timing).toBe('none');
    expect(resolved.state.resumes).toBeUndefined();
    const { input, outputs, scratch, end } = resolved.memory.regions;
    const starts = [...input.parts, ...[...outputs.flat(), scratch].map(({ offset }) => offset)];
    expect(outputs.length).toBe(2);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(resolved.memory.regionBytes).toBe(end - (input.parts[0] as number));
  });

  test('takes times from the clock or from the records', () => {
    const detector = { window: '1h', memory: 65536 };
    const now = () => 5000;
    expect(resolveRun(runRequestOf({ asked: { detector }, options: { now } }), undefined).clock.timing).toBe(now);
    const told = runRequestOf({ asked: { detector }, format: 'csv', options: { now, timeKey: 'at', maxLead: '2s' } });
    const { clock, records } = resolveRun(told, undefined);
    expect((clock.timing as { latest: () => number }).latest()).toBe(7000);
    expect(records.scan.times).toEqual([0]);
  });

  test('contains the secret of the secret file', () => {
    const { detector, records } = resolveRun(runRequestOf({ secret: '00'.repeat(16) }), undefined);
    expect(detector.settings.secret).toBeDefined();
    expect(records.scan.fingerprint).toBe('siphash');
  });
});

describe('threads', () => {
  const [source] = sources as [(typeof sources)[0]];
  const large = { ...source, note: { ...(source.note as FileNote), isFile: true, storedBytes: 2 ** 30 } };
  const threadsOf = (memory: number, threads: number | 'auto') => {
    const changes = { asked: { detector: { memory, algorithm: 'qht' as const } }, sources: [large], processors: 4 };
    return resolveRun(runRequestOf({ ...changes, options: { threads, maxRecordBytes: 2 ** 24 } }), undefined).memory
      .threads;
  };

  test('are several with auto only if their regions fit in the memory', () => {
    expect(threadsOf(2 ** 29, 'auto')).toBe(4);
    expect(threadsOf(3.8 * 2 ** 30, 'auto')).toBe(1);
  });

  test('are as many as were asked for, or as many as there is memory for', () => {
    expect(threadsOf(2 ** 29, 3)).toBe(3);
    const memories = [3.8, 3.5, 1].map((gibibytes) => threadsOf(gibibytes * 2 ** 30, 12));
    expect(memories).toEqual(memories.toSorted((a, b) => a - b));
    expect(memories[0]).toBe(1);
    expect(memories[1]).toBeGreaterThan(1);
    expect(memories[1]).toBeLessThan(12);
    expect(memories.at(-1)).toBe(12);
  });
});

test.each<[string, Changes, string]>([
  ['a key of lines', { key: { keys: ['id'] } }, 'records of format lines have no fields'],
  ['a time of lines', { options: { timeKey: 'at' }, asked: { detector: { window: '1h' } } }, 'have no fields'],
  [
    'a time without a window in time',
    { format: 'csv', options: { timeKey: 'at' } },
    'timeKey was given, but the window is not a duration',
  ],
  ['keys that overlap', { format: 'ndjson', key: { keys: ['a', 'a.b'] } }, 'overlap'],
  [
    'annotated records of exact deduplication',
    { options: { emit: 'annotated' } },
    'one of distinct, duplicates, verdicts, all for this job',
  ],
])('%s is refused', (_, changes, message) => {
  expect(() => resolveRun(runRequestOf(changes), undefined)).toThrow(message);
});

test('the format is guessed if all file names suggest the same format', () => {
  expect(commonFormat(['a.csv', 'b.csv.gz'].map(requestOf))).toBe('csv');
  expect(() => commonFormat(['a.csv', 'b.ndjson'].map(requestOf))).toThrow(/suggest the formats csv and ndjson/);
});
