// Groups runs into tasks. Runs over one stream share it, unless a core would be idle or memory would be short.

import type { RunSpec } from '../contract.js';
import { resolveStream } from '../streams/registry.js';
import { streamKey } from './key.js';

/** Runs that one worker does over one stream. */
export interface Task {
  specs: RunSpec[];
  lengthElements: number;
  memoryBytes: number;
  /** Elements that its detectors take altogether. */
  work: number;
}

export interface TaskOptions {
  jobs: number;
  /** For all that run at once. */
  memoryBytes: number;
}

/** Of making a stream, counted in detectors: it takes about as long as one of them. */
const STREAM_WORK = 1;

function groupsOf(specs: readonly RunSpec[]): RunSpec[][] {
  const groups = new Map<string, RunSpec[]>();
  for (const spec of specs) {
    const key = streamKey(spec);
    groups.set(key, [...(groups.get(key) ?? []), spec]);
  }
  return [...groups.values()];
}

async function taskOf(specs: RunSpec[]): Promise<Task> {
  const [{ stream }] = specs as [RunSpec];
  const { lengthElements, tablesBytes, truthBytes } = await resolveStream(stream);
  const detectorBytes = specs.reduce((sum, { detector }) => sum + detector.memoryBytes, 0);
  const memoryBytes = detectorBytes + tablesBytes + truthBytes(specs.some(({ byGap }) => byGap));
  return { specs, lengthElements, memoryBytes, work: lengthElements * (specs.length + STREAM_WORK) };
}

/** Two tasks of every other spec of one, as those next to each other often take like times. */
async function halves({ specs }: Task): Promise<Task[]> {
  return Promise.all([0, 1].map((rest) => taskOf(specs.filter((_, i) => i % 2 === rest))));
}

/** The task to cut first: one that is too large for the memory, or else the longest while there are too few. */
function toCut(tasks: readonly Task[], { jobs, memoryBytes }: TaskOptions): Task | undefined {
  const divisible = tasks.filter(({ specs }) => specs.length > 1);
  const large = divisible.find((task) => task.memoryBytes > memoryBytes / jobs);
  if (large || tasks.length >= jobs) return large;
  return divisible.sort((a, b) => b.work - a.work)[0];
}

/** Tasks for all runs, the longest first, so that the last ones are short. */
export async function tasksOf(specs: readonly RunSpec[], options: TaskOptions): Promise<Task[]> {
  let tasks: Task[] = [];
  for (const group of groupsOf(specs)) tasks.push(await taskOf(group));
  for (let cut = toCut(tasks, options); cut; cut = toCut(tasks, options)) {
    tasks = [...tasks.filter((task) => task !== cut), ...(await halves(cut))];
  }
  return tasks.sort((a, b) => b.work - a.work);
}
