// Groups runs into tasks. Runs over one stream share it, unless a core would be idle or memory would be short.

import type { RunSpec } from '../contract.js';
import { resolveStream } from '../streams/registry.js';
import { streamKey } from './key.js';

/** Runs that one worker does over one stream. */
export interface Task {
  specs: RunSpec[];
  lengthElements: number;
  memoryBytes: number;
  /** The total number of elements that its detectors process. */
  work: number;
}

export interface TaskOptions {
  jobs: number;
  /** The memory for all tasks that run at once. */
  memoryBytes: number;
}

/** The cost of generating a stream, in detectors: it takes about as long as one detector. */
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

/** Divides a task into two, with alternate specs in each, because neighbouring specs often take similar times. */
async function halves({ specs }: Task): Promise<Task[]> {
  return Promise.all([0, 1].map((rest) => taskOf(specs.filter((_, i) => i % 2 === rest))));
}

/** The task to divide first: one that is too large for the memory, or else the longest while there are too few. */
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
