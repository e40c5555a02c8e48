import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requires } from '../../../../firstseen/test/support/platform.js';
import type { Measurement, RunSpec } from '../../../src/contract.js';
import { runKey } from '../../../src/measure/key.js';
import { measure } from '../../../src/measure/measure.js';
import { runTasks, type TaskRunner } from '../../../src/measure/pool.js';
import { openResults } from '../../../src/measure/results.js';
import { runExperiment } from '../../../src/measure/run.js';
import { type Task, tasksOf } from '../../../src/measure/tasks.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-lab-'));
});
afterAll(() => rm(folder, { recursive: true }));

function runSpec(memoryBytes: number, seed = 1, lengthElements = 2000): RunSpec {
  return {
    stream: { kind: 'uniform', lengthElements, seed, settings: { distinctShare: 0.5 } },
    identity: 'hashed',
    detector: { algorithm: 'bsbf', layout: 'classic', memoryBytes, parameters: { k: 2 }, seed: 0 },
    curvePoints: 2,
    byGap: false,
  };
}

const here: TaskRunner = ({ specs }) => measure(specs);
const specs = [runSpec(1024), runSpec(2048), runSpec(1024, 2), runSpec(2048, 2)];

/** Measurements without the speed, which depends on the machine and on concurrent runs. */
function answers(measurements: readonly Measurement[]) {
  return measurements.map(({ elementsPerSecond: _speed, ...rest }) => rest);
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

test('measurements are in the order of their specs, and each is a line of the file', async () => {
  const output = join(folder, 'all.jsonl');
  const found = await runExperiment(specs, { output, runTask: here, jobs: 3 });
  expect(found.map(({ key }) => key)).toEqual(specs.map(runKey));
  const lines = (await linesOf(output)).map((line) => JSON.parse(line) as Measurement);
  expect(new Map(lines.map((line) => [line.key, line]))).toEqual(new Map(found.map((line) => [line.key, line])));
});

test('runs in the file are not repeated, except one whose line was cut off', async () => {
  const output = join(folder, 'resumed.jsonl');
  const before = await runExperiment(specs.slice(0, 2), { output, runTask: here });
  const whole = await readFile(output);
  await writeFile(output, whole.subarray(0, whole.length - 100));
  const ran: string[] = [];
  const found = await runExperiment(specs, {
    output,
    runTask: async (task) => {
      ran.push(...task.specs.map(runKey));
      return measure(task.specs);
    },
  });
  expect(ran.sort()).toEqual(specs.slice(1).map(runKey).sort());
  expect(answers(found.slice(0, 2))).toEqual(answers(before));
  expect(await linesOf(output)).toHaveLength(specs.length);
  expect(await runExperiment(specs, { output, runTask: () => Promise.reject(new Error('nothing is left')) })).toEqual(
    found,
  );
});

test.each(['other text\n', 'other text', '{"key":1}\n', '[]\n'])(
  'a file of %j is refused and not changed',
  async (text) => {
    const output = join(folder, 'other.txt');
    await writeFile(output, text);
    await expect(runExperiment(specs, { output, runTask: here })).rejects.toMatchObject({ code: 'E_OUTPUT' });
    expect(await readFile(output, 'utf8')).toBe(text);
  },
);

test('a result whose counts are not numbers is refused', async () => {
  const output = join(folder, 'changed.jsonl');
  await runExperiment(specs.slice(0, 1), { output, runTask: here });
  const text = (await readFile(output, 'utf8')).replace(/"falsePositives":\d+/, '"falsePositives":"few"');
  await writeFile(output, text);
  await expect(openResults(output)).rejects.toMatchObject({ code: 'E_OUTPUT' });
});

test('a device is refused', async () => {
  requires(existsSync('/dev/null'), 'this system does not have /dev/null');
  await expect(openResults('/dev/null')).rejects.toThrow(
    '/dev/null is not a regular file, so results cannot be appended',
  );
});

test('an incomplete last line is removed when the file is opened', async () => {
  const output = join(folder, 'torn.jsonl');
  await runExperiment(specs.slice(0, 1), { output, runTask: here });
  const whole = await readFile(output, 'utf8');
  for (const torn of ['{', '{"spec":', '{"spec":{"stream"']) {
    await appendFile(output, torn);
    const results = await openResults(output);
    await results.close();
    expect(await readFile(output, 'utf8')).toBe(whole);
  }
});

test('runs over the same stream share a task, and are split among more jobs or if memory is short', async () => {
  const sizes = async (jobs: number, memoryBytes = 2 ** 30) =>
    (await tasksOf(specs, { jobs, memoryBytes })).map((task) => task.specs.length);
  expect(await sizes(1)).toEqual([2, 2]);
  expect(await sizes(2)).toEqual([2, 2]);
  expect(await sizes(3)).toEqual([2, 1, 1]);
  expect(await sizes(8)).toEqual([1, 1, 1, 1]);
  expect(await sizes(1, 2048)).toEqual([1, 1, 1, 1]);
});

function taskOf(memoryBytes: number): Task {
  return { specs: [], lengthElements: 1, memoryBytes, work: 1 };
}

/** The maximum number of tasks that ran at once. */
async function maxAtOnce(tasks: Task[], limits: { jobs: number; memoryBytes: number }): Promise<number> {
  let running = 0;
  let most = 0;
  await runTasks(tasks, {
    ...limits,
    onDone: async () => undefined,
    runTask: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return [];
    },
  });
  return most;
}

test('as many tasks run at once as jobs and memory allow, but at least one', async () => {
  const tasks = [1, 2, 3, 4, 5].map(() => taskOf(10));
  expect(await maxAtOnce(tasks, { jobs: 3, memoryBytes: 1000 })).toBe(3);
  expect(await maxAtOnce(tasks, { jobs: 3, memoryBytes: 20 })).toBe(2);
  expect(await maxAtOnce(tasks, { jobs: 3, memoryBytes: 5 })).toBe(1);
});

test('a failure stops the running tasks and starts no others', async () => {
  const begun: Task[] = [];
  const tasks = [taskOf(1), taskOf(2), taskOf(3)];
  const running = runTasks(tasks, {
    jobs: 2,
    memoryBytes: 100,
    onDone: async () => undefined,
    runTask: (task, { signal }) => {
      begun.push(task);
      if (task === tasks[0]) return Promise.reject(new Error('broken'));
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await expect(running).rejects.toThrow('broken');
  expect(begun).toEqual(tasks.slice(0, 2));
});

test('runs that finished before an interruption are kept', async () => {
  const output = join(folder, 'stopped.jsonl');
  const stop = new AbortController();
  const running = runExperiment(specs, {
    output,
    jobs: 1,
    signal: stop.signal,
    onProgress: (share) => {
      if (share >= 0.5) stop.abort(new Error('enough'));
    },
    runTask: (task, { onProgress }) => measure(task.specs, { onProgress }),
  });
  await expect(running).rejects.toThrow('enough');
  expect(await linesOf(output)).toHaveLength(2);
});
