// Results as JSON lines. A line is whole or it does not count: what a crash left of the last one is cut off before more is
// written, and runs whose line is there are not run again.

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { FirstseenError } from 'firstseen';
import type { Measurement } from '../contract.js';

/** Of results in a folder of them. */
export const RESULTS_NAME = 'results.jsonl';

const NEWLINE = 0x0a;
/** A measurement's first member. */
const LINE_START = '{"spec":';

export interface ResultsFile {
  /** What was there already. */
  kept: readonly Measurement[];
  append(measurement: Measurement): Promise<void>;
  close(): Promise<void>;
}

function fileError(path: string, cause: unknown): FirstseenError {
  if (cause instanceof FirstseenError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FirstseenError('E_OUTPUT', `results in ${path} cannot be read or written: ${reason}; name another file`, {
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

/** Only what `runExperiment` looks at or shows is checked: a line is the lab's own, or somebody changed it. */
function isMeasurement(value: unknown): value is Measurement {
  if (typeof value !== 'object' || value === null) return false;
  const { key, spec, curve, byGap, ...rest } = value as Partial<Measurement>;
  const isWhole = NUMBERS.every((name) => typeof rest[name] === 'number');
  return isWhole && typeof key === 'string' && typeof spec === 'object' && Array.isArray(curve) && Array.isArray(byGap);
}

function noResult(number: number, path: string): FirstseenError {
  return new FirstseenError(
    'E_OUTPUT',
    `line ${number} of ${path} is no result of a run; name another file for the results`,
  );
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

/** Only what can be the front of a result is taken for one that was cut short: anything else would be lost. */
function checkTorn(front: string, number: number, path: string): void {
  if (!LINE_START.startsWith(front)) throw noResult(number, path);
}

/** The measurements of whole lines, and the bytes that those lines take. */
function parseResults(content: Buffer, path: string): { kept: Measurement[]; bytes: number } {
  const bytes = content.lastIndexOf(NEWLINE) + 1;
  const lines = content.toString('utf8', 0, bytes).split('\n').slice(0, -1);
  checkTorn(content.toString('utf8', bytes, bytes + LINE_START.length), lines.length + 1, path);
  return { kept: lines.map((line, i) => parseLine(line, i + 1, path)), bytes };
}

/**
 * The measurements in a file of results, which stays as it is.
 * @throws FirstseenError E_OUTPUT when it cannot be read, or holds something else.
 */
export async function readResults(path: string): Promise<readonly Measurement[]> {
  try {
    return parseResults(await readFile(path), path).kept;
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** A device may have no end, and what is written to a pipe cannot be gone on with. */
async function checkFile(file: FileHandle, path: string): Promise<void> {
  if ((await file.stat()).isFile()) return;
  throw new FirstseenError('E_OUTPUT', `${path} is no file, to which results could be added; name one`);
}

/**
 * Opens a file of results to go on with, or begins one.
 * @throws FirstseenError E_OUTPUT when it cannot be read or written, or holds something else: nothing is written over.
 */
export async function openResults(path: string): Promise<ResultsFile> {
  try {
    // Read and written where it is, made where it is not.
    const file = await open(path, 'a+');
    try {
      await checkFile(file, path);
      const { kept, bytes } = parseResults(await file.readFile(), path);
      await file.truncate(bytes);
      return resultsFile(file, path, kept);
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (cause) {
    throw fileError(path, cause);
  }
}

function resultsFile(file: FileHandle, path: string, kept: readonly Measurement[]): ResultsFile {
  // One after the other: a long line may take several writes.
  let written = Promise.resolve();
  return {
    kept,
    append(measurement) {
      written = written
        .then(() => file.appendFile(`${JSON.stringify(measurement)}\n`))
        .catch((cause) => {
          throw fileError(path, cause);
        });
      return written;
    },
    close: () => file.close(),
  };
}
