// What runs on several threads leave, compared with what one on one thread leaves.

import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readState } from '../../src/checkpoint/runstate.js';
import { contentsOf } from './cases.js';
import { coverOf, isLongForm } from './form.js';

/** What summaries of runs have in common that differs from run to run. */
interface Timed {
  seconds: number;
  recordsPerSecond: number;
  threads: number;
}

/** The files that a run writes. */
export interface RunFiles {
  output: string;
  duplicates: string;
  state: string;
}

export interface Outcome<Stats> {
  output: string;
  /** Empty if the run did not write them to a file. */
  duplicates: string;
  stats: Partial<Omit<Stats, keyof Timed>>;
  error: string;
  /** The detector in the state, and what the job keeps besides. Empty if the run has saved none. */
  detector: string;
  job: unknown;
}

export interface RunRequest<Stats> {
  /** Gets a folder with the files of the run. */
  folder: string;
  /** The name of the output; `out` by default. */
  outputName?: string | undefined;
  /** The number of threads that the run has to use. */
  threads: number;
  run(files: RunFiles, onFailure: (stats: Stats) => void): Promise<Stats>;
}

/** The options of a run of the request over an input, which depend neither on the time nor on whether it ends with a newline. */
export function optionsFor({ folder, name }: { folder: string; name: string }, files: RunFiles) {
  const { output, duplicates: duplicatesTo, state } = files;
  return { inputs: [join(folder, name)], output, duplicatesTo, state, partial: 'record', now: () => 1e12 } as const;
}

/** What a run leaves. */
export async function outcomeOf<Stats extends Timed>(request: RunRequest<Stats>): Promise<Outcome<Stats>> {
  const own = mkdtempSync(join(request.folder, 'run-'));
  const files = {
    output: join(own, request.outputName ?? 'out'),
    duplicates: join(own, 'duplicates'),
    state: join(own, 'state'),
  };
  let [error, stats]: [string, Partial<Stats>] = ['', {}];
  const onFailure = (failed: Stats) => {
    stats = failed;
  };
  await request.run(files, onFailure).then(onFailure, (thrown) => {
    error = thrown.message;
  });
  const { seconds: _seconds, recordsPerSecond: _rate, threads, ...rest } = stats;
  expect({ threads, error }).toMatchObject({ threads: request.threads });
  const text = (path: string) => (existsSync(path) ? readFileSync(path, 'latin1') : '');
  const saved = await readState(files.state);
  return {
    ...{ output: text(files.output), duplicates: text(files.duplicates), stats: rest, error },
    detector: saved ? contentsOf(await saved.restore({})) : '',
    job: saved?.note.job,
  };
}

/** A run over an input to compare, and the numbers of threads on which it runs. */
export interface ComparedRun<Options> {
  name: string;
  options: Options;
  several: readonly number[];
}

/** Runs on each number of threads. In the short form, few runs that have each input and each option, each on one number of threads. */
export function chosenRuns<Options extends object>(
  runs: readonly (readonly [name: string, options: Options])[],
  threads: readonly number[],
): readonly ComparedRun<Options>[] {
  const rows = runs.map(([name, options]) => ({ name, options, several: threads }));
  if (isLongForm) return rows;
  const single = rows.flatMap((row) => threads.map((count) => ({ ...row, several: [count] })));
  return coverOf(single, ({ name, options, several }) => [name, ...featuresOf(options), `${several}`]);
}

/** The names of options, also of those inside others, and what is emitted. */
function featuresOf(options: object): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return name === 'emit' || name === 'onError' || name === 'by' ? [`${name} ${value}`] : [name];
    }
    return featuresOf(value).map((inner) => `${name}.${inner}`);
  });
}

/** Compares what runs on one thread and on several leave. */
export async function expectSame<Stats>(
  several: readonly number[],
  outcome: (threads: number) => Promise<Outcome<Stats>>,
): Promise<Outcome<Stats>> {
  const one = await outcome(1);
  for (const threads of several) {
    const found = await outcome(threads);
    // Long texts are compared first by whether they differ, not printed.
    expect(found.output === one.output && found.duplicates === one.duplicates).toBe(true);
    expect({ ...found, output: '', duplicates: '' }).toEqual({ ...one, output: '', duplicates: '' });
  }
  return one;
}
