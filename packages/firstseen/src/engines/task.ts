// What the engine tells a task in its environment, and where the records of the task are in the order of all inputs.

import { readFile } from 'node:fs/promises';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { InputRequest } from '../io/source.js';
import { systemPath } from '../io/system/paths.js';
import { MAX_FILES } from './wire.js';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Tells if a task of Hadoop runs this process. It then reads counters from standard error. */
export function isHadoopTask(environment: Environment): boolean {
  return environment.mapreduce_task_attempt_id !== undefined;
}

/** The place at which the input of a task begins. */
export interface TaskStart {
  /** The number of the file in the order of all inputs. */
  file: number;
  /** No record before the task has this offset or a later one. */
  offset: number;
  /** The file and where the split begins in it, for messages, if the engine gives the split to standard input. */
  source?: string;
}

const ORDER = optionName('inputOrder');

/** A path without the scheme and the host of its file system. */
function withoutHost(path: string): string {
  return path.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/]*)?/i, '');
}

async function readOrder(path: string): Promise<string[]> {
  try {
    const lines = (await readFile(systemPath(path), 'utf8')).split('\n').filter((line) => line !== '');
    if (lines.length <= MAX_FILES) return lines.map(withoutHost);
  } catch (cause) {
    throw new FirstseenError('E_INPUT', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  throw new FirstseenError('E_INPUT', `${path} lists more than ${MAX_FILES} files`, { remedy: 'join files' });
}

function fileNumber(order: readonly string[], file: string, list: string): number {
  const number = order.indexOf(withoutHost(file));
  if (number >= 0) return number;
  throw new FirstseenError('E_INPUT', `${list} does not list ${file}`, { remedy: 'list every input in it' });
}

/**
 * A split of Hadoop that does not begin its file passes over the line that is unfinished there, and takes the line after its end.
 * So the first record of a split is after its start, and those of the split before are at its start or before it. The start and the
 * bytes read since then therefore order the records of all splits.
 */
function startOfSplit(environment: Environment): number {
  const start = Number(environment.mapreduce_map_input_start ?? 0);
  return start > 0 ? start + 1 : 0;
}

/**
 * @param input the input of the task
 * @param list a file that lists all inputs in their order, one path a line
 * @throws FirstseenError E_USAGE for a task of Hadoop without a list, E_INPUT for an input that the list does not have.
 */
export async function taskStart(environment: Environment, input: InputRequest, list?: string): Promise<TaskStart> {
  const ofTask = environment.mapreduce_map_input_file;
  const isOfTask = input.file === undefined && ofTask !== undefined;
  const offset = isOfTask ? startOfSplit(environment) : 0;
  if (list !== undefined) {
    const file = fileNumber(await readOrder(list), isOfTask ? ofTask : input.name, list);
    if (!isOfTask) return { file, offset };
    return { file, offset, source: offset === 0 ? ofTask : `${ofTask}, from byte ${offset - 1}` };
  }
  if (!isOfTask) return { file: 0, offset };
  throw new FirstseenError('E_USAGE', phrase`${ORDER} is missing, without which the order of the files is unknown`, {
    option: 'inputOrder',
    remedy: phrase`give ${ORDER} a file that lists all inputs`,
  });
}
