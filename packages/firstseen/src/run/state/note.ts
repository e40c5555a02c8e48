// The note of a state: what run it belongs to and how far that has come. It is checked when it is read: whoever wrote the
// file, what a run goes on with is possible.

import { FirstseenError } from '../../errors.js';
import { type FormatName, formatNames } from '../../records/formats.js';
import { noCounts, type RunCounts } from '../counts.js';
import type { InputNote } from '../input/files.js';
import type { JobNote } from '../job.js';
import type { Emission } from '../options.js';
import { MEMBER_BYTES, type SinkPosition } from '../output/sink.js';

/** What decides the identity of a record, besides the detector's own settings. */
export interface KeyNote {
  format: FormatName;
  keys: string[];
  /** Where a record tells its time, if it does. */
  time?: string;
}

export interface OutputNote {
  /** Standard output when null. */
  path: string | null;
  isCompressed: boolean;
}

/** A run and how far it has come. */
export interface RunNote {
  inputs: InputNote[];
  outputs: OutputNote[];
  emit: Emission;
  /** The input at hand, and the bytes and lines taken of it. */
  input: number;
  offset: number;
  lines: number;
  /** The header that went out, in base64. */
  header: string | null;
  positions: SinkPosition[];
  counts: RunCounts;
  isFinished: boolean;
}

export interface StateNote {
  key: KeyNote;
  run: RunNote;
  /** Where it is not the main job. */
  job?: JobNote;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isBase64: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
/** What a member of a compressed output still lacks its rest for. */
const isPending: Check = (value) => isBase64(value) && Buffer.byteLength(value as string, 'base64') < MEMBER_BYTES;

function isOneOf(...words: readonly unknown[]): Check {
  return (value) => words.includes(value);
}

function isEither(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function isObjectOf(checks: Readonly<Record<string, Check>>): Check {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const isJob = isObjectOf({
  name: isText,
  settings: isObjectOf({}),
  observed: isCount,
  duplicates: isCount,
});

const isNote = isObjectOf({
  job: isEither(isJob, isOneOf(undefined)),
  key: isObjectOf({
    format: isOneOf(...formatNames),
    keys: isListOf(isText),
    time: isEither(isText, isOneOf(undefined)),
  }),
  run: isObjectOf({
    inputs: isListOf(
      isObjectOf({ path: isText, isFile: isFlag, isCompressed: isFlag, storedBytes: isCount, digest: isText }),
    ),
    outputs: isListOf(isObjectOf({ path: isEither(isText, isOneOf(null)), isCompressed: isFlag })),
    emit: isOneOf('distinct', 'duplicates', 'verdicts', 'annotated'),
    input: isCount,
    offset: isCount,
    lines: isCount,
    header: isEither(isBase64, isOneOf(null)),
    positions: isListOf(isObjectOf({ fileBytes: isCount, pending: isPending, owesNewline: isFlag })),
    counts: isObjectOf(Object.fromEntries(Object.keys(noCounts).map((name) => [name, isCount]))),
    isFinished: isFlag,
  }),
});

/** Whether the lists of a run belong together. */
function isConsistent({ run: { inputs, input, outputs, positions } }: StateNote): boolean {
  return input < inputs.length && outputs.length > 0 && positions.length === outputs.length;
}

function parsed(note: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(note));
  } catch {
    return undefined;
  }
}

/** @throws FirstseenError E_SNAPSHOT when there is none, or when it is none that a run can have written. */
export function decodeNote(note: Uint8Array): StateNote {
  if (note.length === 0) {
    throw new FirstseenError(
      'E_SNAPSHOT',
      'it is a snapshot saved by the library and does not say how keys were made; load it with the library',
    );
  }
  const found = parsed(note);
  if (isNote(found) && isConsistent(found as StateNote)) return found as StateNote;
  throw new FirstseenError('E_SNAPSHOT', 'its note is not that of a run; restore the file, or name another state');
}
