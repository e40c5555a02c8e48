// Results as JSON lines. Only complete lines count. A last line that a crash truncated is removed before more lines are
// written. Runs that have a line are not repeated.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { FirstseenError } from 'firstseen';
import type { Measurement } from '../contract.js';

/** The name of the file in a folder of results. */
export const RESULTS_NAME = 'results.jsonl';

const NEWLINE = 0x0a;
const OTHER_FILE = 'give another file for the results';
/** Every line begins with the first field of a measurement. */
const LINE_START = '{"spec":';

export interface ResultsFile {
  /** The measurements that the file had when it was opened. */
  kept: readonly Measurement[];
  append(measurement: Measurement): Promise<void>;
  close(): Promise<void>;
}

function fileError(path: string, cause: unknown): FirstseenError {
  if (cause instanceof FirstseenError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FirstseenError('E_OUTPUT', `the results file ${path} cannot be read or written: ${reason}`, {
    remedy: OTHER_FILE,
    cause,
  });
}

/** Numbers that every measurement has. */
const NUMBERS = [
  'elements',
  'distinct',
  'duplicates',
  'falsePositives',
  'falseNegatives',
  'load',
  'stateBytes',
  'truthBytes',
  'elementsPerSecond',
] as const satisfies readonly (keyof Measurement)[];

/** Checks only what `runExperiment` uses or shows, because the laboratory wrote the line itself. */
function isMeasurement(value: unknown): value is Measurement {
  if (typeof value !== 'object' || value === null) return false;
  const { key, spec, curve, byGap, ...rest } = value as Partial<Measurement>;
  const isWhole = NUMBERS.every((name) => typeof rest[name] === 'number');
  return isWhole && typeof key === 'string' && typeof spec === 'object' && Array.isArray(curve) && Array.isArray(byGap);
}

function noResult(number: number, path: string): FirstseenError {
  return new FirstseenError('E_OUTPUT', `line ${number} of ${path} is not a result of a run`, { remedy: OTHER_FILE });
}

function parseLine(line: string, number: number, path: string): Measurement {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (isMeasurement(value)) return value;
  throw noResult(number, path);
}

/** Accepts a truncated last line only if it can be the beginning of a result; otherwise other data would be lost. */
function checkTorn(front: string, number: number, path: string): void {
  if (!LINE_START.startsWith(front)) throw noResult(number, path);
}

/** The measurements of the complete lines, and the number of bytes of those lines. */
function parseResults(content: Buffer, path: string): { kept: Measurement[]; bytes: number } {
  const bytes = content.lastIndexOf(NEWLINE) + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  checkTorn(content.toString('utf8', bytes, bytes + LINE_START.length), lines.length + 1, path);
  return { kept: lines.map((line, i) => parseLine(line, i + 1, path)), bytes };
}

/**
 * The measurements in a file of results. The file is not changed.
 * @throws FirstseenError E_OUTPUT if it cannot be read, or has other content.
 */
export async function readResults(path: string): Promise<readonly Measurement[]> {
  try {
    return parseResults(await readFile(path), path).kept;
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** A device may have no end, and a pipe cannot be read again. */
async function checkFile(file: FileHandle, path: string): Promise<void> {
  if ((await file.stat()).isFile()) return;
  throw new FirstseenError('E_OUTPUT', `${path} is not a regular file, so results cannot be appended`, {
    remedy: OTHER_FILE,
  });
}

/**
 * Opens a file of results to append to, and creates it if it does not exist.
 * @throws FirstseenError E_OUTPUT if it cannot be read or written, or has other content, which is never overwritten.
 */
export async function openResults(path: string): Promise<ResultsFile> {
  try {
    const file = await open(path, 'a+');
    try {
      await checkFile(file, path);
      const { kept: measurements, bytes } = parseResults(await file.readFile(), path);
      await file.truncate(bytes);
      return resultsFile(file, path, measurements);
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (cause) {
    throw fileError(path, cause);
  }
}

function resultsFile(file: FileHandle, path: string, measurements: readonly Measurement[]): ResultsFile {
  // Lines are written in turn, because a long line may take several writes.
  let lastWrite = Promise.resolve();
  return {
    kept: measurements,
    append(measurement) {
      lastWrite = lastWrite
        .then(() => file.appendFile(`${JSON.stringify(measurement)}\n`))
        .catch((cause) => {
          throw fileError(path, cause);
        });
      return lastWrite;
    },
    close: () => file.close(),
  };
}
