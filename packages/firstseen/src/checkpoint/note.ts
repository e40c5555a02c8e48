// The note of a state: the run that it belongs to, its options, and its position. The note is JSON. It is validated when it is read,
// so that a run never continues from an impossible note, also of a file that something else has written.

import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import {
  type Check,
  isBase64,
  isCount,
  isEither,
  isFlag,
  isListOf,
  isObjectOf,
  isOneOf,
  isText,
} from '../base/jsonchecks.js';
import { noCounts, type RunCounts } from '../framing/counts.js';
import { type Emission, emissionsWithState, type InputOrder, type PartialPolicy } from '../io/policies.js';
import type { OutputNote, SinkPosition } from '../io/sink.js';
import { isSinkPosition } from '../io/sinks.js';
import { type InputNote, type InputPosition, type ReadNote, VALUES_VERSION } from '../io/source.js';
import { isPositionOf } from '../io/sources.js';
import { emptyKey as emptyKeyOption, nullKey as nullKeyOption, order as orderOption } from '../options/records.js';
import { partial as partialOption } from '../options/run.js';
import { type Equality, isEquality } from '../records/equality.js';
import { type FormatName, formatNames } from '../records/formats.js';
import { DOCUMENTS, type KeyScheme } from '../records/keyscheme.js';
import type { KeyRules } from '../records/policies.js';
import { encodeJsonNote } from '../snapshot/snapshots.js';
import type { AskedNote } from './asked.js';
import type { JobNote } from './jobnote.js';

/** The settings that decide the identity of a record, apart from the detector's own settings. */
export interface KeyNote {
  format: FormatName;
  keys: readonly string[];
  /** The field of the time, or several fields, if records have times. */
  time?: string | readonly string[];
  /** The format of times, if it was given. */
  timeFormat?: string;
  timeZone?: string;
  /** The character between two fields, unless it is that of the format by default. */
  delimiter?: string;
  /** The character around a quoted field of csv, unless it is the double quote. */
  quote?: string;
  /** The character of csv that makes the next one content, if there is one. */
  escape?: string;
  /** The meaning of keys without content; absent in jobs without rules of keys. */
  rules?: KeyRules;
  /** The rules by which keys are equal that are not the same bytes, if there are any. */
  equality?: Equality;
  /** The version of the format of values that are not stored as text; absent for formats other than ndjson. */
  values?: typeof VALUES_VERSION;
  /** The shard of the stream that the state has seen, if not all of it. */
  shard?: string;
}

/** A run and its position. */
export interface RunNote {
  inputs: readonly InputNote[];
  outputs: readonly OutputNote[];
  emit: Emission;
  /** The field of the annotations, if records of `all` have them. */
  annotate?: string;
  /** The policy for unfinished last records. */
  partial: PartialPolicy;
  /** The order of its inputs, unless it is the one in which they were given. */
  order?: InputOrder;
  /** The index of the current input, and the bytes and lines of it that have been processed. */
  input: number;
  offset: number;
  lines: number;
  /** The position at which that input continues, as its kind of input defines it; undefined if it cannot be reread. */
  position: InputPosition | undefined;
  /** The progress in each input, also in inputs of earlier command lines of the same run. */
  reads: readonly ReadNote[];
  /** The header that was written, in base64. */
  header: string | null;
  positions: readonly SinkPosition[];
  counts: RunCounts;
  isFinished: boolean;
}

export interface StateNote {
  key: KeyNote;
  run: RunNote;
  /** Counts over all runs with the state. */
  totals: RunCounts;
  /** The options of the detector; empty in a snapshot that the library has saved. */
  asked: AskedNote;
  /** Absent for exact deduplication. */
  job?: JobNote;
  /** The finished runs before this one, the latest last. */
  finishedRuns: readonly RunNote[];
}

/** The names of the counts in the file. */
const countNames: Readonly<Record<keyof RunCounts, string>> = {
  records: 'records',
  distinct: 'distinct',
  duplicates: 'duplicates',
  passed: 'passed',
  dropped: 'dropped',
  skipped: 'skipped',
  missingKey: 'missing_key',
  emptyKey: 'empty_key',
  invalid: 'invalid',
  tooLong: 'too_long',
  notCompared: 'not_compared',
  bytesIn: 'bytes_in',
  bytesOut: 'bytes_out',
};

const countEntries = Object.entries(countNames) as [keyof RunCounts, string][];

/** Counts that few runs have. Those of 0 are left out. */
const rareCounts: readonly (keyof RunCounts)[] = ['skipped', 'emptyKey', 'notCompared'];

function storedCounts(counts: RunCounts): Record<string, number> {
  const storedEntries = countEntries.filter(([name]) => !rareCounts.includes(name) || counts[name] > 0);
  return Object.fromEntries(storedEntries.map(([name, stored]) => [stored, counts[name]]));
}

function countsOf(stored: Record<string, number>): RunCounts {
  return { ...noCounts, ...Object.fromEntries(countEntries.map(([name, key]) => [name, stored[key] ?? 0])) };
}

/** A run as it is in the file. */
interface StoredRun extends Omit<RunNote, 'position' | 'counts'> {
  position?: InputPosition;
  counts: Record<string, number>;
}

/** A note as it is in the file. */
interface StoredNote extends Omit<StateNote, 'run' | 'totals' | 'finishedRuns'> {
  totals: Record<string, number>;
  run: StoredRun;
  /** Absent if there are none. */
  finishedRuns?: readonly StoredRun[];
}

function storedRun({ position, positions, counts, ...rest }: RunNote): StoredRun {
  return {
    ...rest,
    ...(position === undefined ? {} : { position }),
    positions,
    counts: storedCounts(counts),
  };
}

/** @throws FirstseenError E_PARAMETER when it is too long. */
export function encodeNote({ run, totals, finishedRuns, ...note }: StateNote): Uint8Array {
  const before = finishedRuns.length === 0 ? {} : { finishedRuns: finishedRuns.map(storedRun) };
  const stored: StoredNote = { ...note, totals: storedCounts(totals), run: storedRun(run), ...before };
  return encodeJsonNote(stored);
}

function runNoteOf(run: StoredRun): RunNote {
  return { ...run, position: run.position, counts: countsOf(run.counts) };
}

function stateNoteOf({ run, totals, finishedRuns = [], ...note }: StoredNote): StateNote {
  const runs = { run: runNoteOf(run), finishedRuns: finishedRuns.map(runNoteOf) };
  return { ...note, totals: countsOf(totals), ...runs };
}

const isAbsent = isOneOf(undefined);
const isObject = isObjectOf({});

/** The checks of a detector's options. Each option has one value, several, or several by name, and nothing deeper. */
const isAskedValue = isEither(isText, isFlag, Number.isFinite);
const isAskedList: Check = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isAskedValue);
const isAsked: Check = (value) =>
  isObject(value) && !Array.isArray(value) && Object.values(value as object).every(isEither(isAskedValue, isAskedList));

const isJob = isObjectOf({
  name: isText,
  settings: isObject,
  observed: isCount,
  duplicates: isCount,
});

const isCounts = isObjectOf(
  Object.fromEntries(
    countEntries.map(([name, stored]) => [stored, rareCounts.includes(name) ? isEither(isCount, isAbsent) : isCount]),
  ),
);

const isBeginning: Check = (value) =>
  Array.isArray(value) && value.length === 2 && isCount(value[0]) && isText(value[1]) && value[1] !== '';

const isFileInput = isObjectOf({
  path: isText,
  realPath: isEither(isText, isAbsent),
  inode: isEither(isText, isAbsent),
  isFile: isFlag,
  isCompressed: isFlag,
  storedBytes: isCount,
  digest: isText,
  sinceMilliseconds: isEither(Number.isFinite, isAbsent),
  beginnings: isEither(isListOf(isBeginning), isAbsent),
});

const isNamedInput = isObjectOf({
  name: isText,
  path: isAbsent,
  isFile: isOneOf(false),
  isRepeatable: isFlag,
});

const isInput = isEither(isFileInput, isNamedInput);

const isRead = isObjectOf({
  input: isInput,
  offset: isCount,
  lines: isCount,
  position: isEither(isObject, isAbsent),
  isWhole: isFlag,
});

const isRun = isObjectOf({
  inputs: isListOf(isInput),
  outputs: isListOf(
    isObjectOf({
      path: isEither(isText, isOneOf(null)),
      realPath: isEither(isText, isAbsent),
      isCompressed: isFlag,
      contents: isOneOf('ids', undefined),
    }),
  ),
  emit: isOneOf(...emissionsWithState),
  annotate: isEither(isText, isAbsent),
  partial: isOneOf(...partialOption.words),
  order: isOneOf(...orderOption.words, undefined),
  input: isCount,
  offset: isCount,
  lines: isCount,
  position: isEither(isObject, isAbsent),
  reads: isListOf(isRead),
  header: isEither(isBase64, isOneOf(null)),
  positions: isListOf(isObject),
  counts: isCounts,
  isFinished: isFlag,
});

const isStored = isObjectOf({
  job: isEither(isJob, isAbsent),
  asked: isAsked,
  totals: isCounts,
  key: isObjectOf({
    format: isOneOf(...formatNames),
    keys: isListOf(isText),
    time: isEither(isText, isListOf(isText), isAbsent),
    timeFormat: isEither(isText, isAbsent),
    timeZone: isEither(isText, isAbsent),
    delimiter: isEither(isText, isAbsent),
    quote: isEither(isText, isAbsent),
    escape: isEither(isText, isAbsent),
    rules: isEither(
      isObjectOf({ emptyKey: isOneOf(...emptyKeyOption.words), nullKey: isOneOf(...nullKeyOption.words) }),
      isAbsent,
    ),
    values: isOneOf(VALUES_VERSION, undefined),
    equality: isEither(isEquality, isAbsent),
    shard: isEither(isText, isAbsent),
  }),
  run: isRun,
  finishedRuns: isEither(isListOf(isRun), isAbsent),
});

/** Tells if the lists of a run match each other, and its positions match its inputs and outputs. */
function isConsistent(run: RunNote): boolean {
  const { inputs, input, position, reads, outputs, positions } = run;
  if (isNoRun(run)) return reads.length === 0 && positions.length === 0;
  const atHand = inputs[input] as InputNote;
  if (outputs.length === 0 || positions.length !== outputs.length) return false;
  const areSinks = outputs.every((output, i) => isSinkPosition(output, positions[i] as SinkPosition));
  return areSinks && isPositionOf(atHand, position) && reads.every((read) => isPositionOf(read.input, read.position));
}

/** Tells if it is the run of a snapshot that the library has saved, which has no inputs and no outputs. */
function isNoRun({ inputs, outputs, isFinished }: Pick<RunNote, 'inputs' | 'outputs' | 'isFinished'>): boolean {
  return inputs.length === 0 && outputs.length === 0 && isFinished;
}

function hasInput(run: StoredRun): boolean {
  return run.input < run.inputs.length || isNoRun(run);
}

function parsed(note: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(note));
  } catch {
    return undefined;
  }
}

/** The note of a snapshot that the library has saved, as if a run without inputs had finished. */
function libraryNote({ format, keys, equality }: KeyScheme): StateNote {
  const run: RunNote = {
    ...{ inputs: [], outputs: [], emit: 'distinct', partial: 'record', input: 0, offset: 0, lines: 0, header: null },
    ...{ position: undefined, reads: [], positions: [], counts: noCounts, isFinished: true },
  };
  return {
    key: { format: format as FormatName, keys, ...defined({ equality }) },
    run,
    totals: noCounts,
    asked: {},
    finishedRuns: [],
  };
}

/** Tells if a note is one that a program gave to `save`: only runs write notes with a run. */
export function isProgramNote(bytes: Uint8Array): boolean {
  const found = parsed(bytes);
  return bytes.length > 0 && !(typeof found === 'object' && found !== null && 'run' in found);
}

/**
 * Returns the note that follows from the key scheme of a library's snapshot; undefined if the scheme does not say how
 * keys are made from records.
 */
export function noteOfScheme(keyScheme: KeyScheme | undefined): StateNote | undefined {
  return keyScheme && keyScheme.format !== DOCUMENTS ? libraryNote(keyScheme) : undefined;
}

/** The error for a snapshot that the library has saved, and that a run would continue without what the program noted. */
function programNote(bytes: Uint8Array, keyScheme: KeyScheme | undefined): FirstseenError {
  if (keyScheme?.format === DOCUMENTS) {
    const problem =
      'this snapshot of near-duplicates or passages was saved by the library, and a run cannot continue it';
    return new FirstseenError('E_SNAPSHOT', problem, {
      remedy: phrase`load it with loadNear or loadPassages, or give another ${optionName('state')}`,
    });
  }
  const shownLength = formatCounted(bytes.length, 'byte');
  const problem = `this snapshot was saved by the library with a note of ${shownLength}, which a run would lose`;
  const remedy = phrase`load it with the library and save it without a note, or give another ${optionName('state')}`;
  return new FirstseenError('E_SNAPSHOT', problem, { remedy });
}

/**
 * The note of a state. A snapshot that the library has saved with a key scheme is a state too.
 * @throws FirstseenError E_SNAPSHOT when the note is missing, that of a program, or not possible.
 */
export function decodeNote(bytes: Uint8Array, keyScheme?: KeyScheme): StateNote {
  const scheme = bytes.length === 0 ? noteOfScheme(keyScheme) : undefined;
  if (scheme) return scheme;
  if (bytes.length === 0) {
    throw new FirstseenError(
      'E_SNAPSHOT',
      'this snapshot was saved by the library and does not say how keys are made',
      {
        remedy: phrase`load it with the library, or create its detector with ${optionName('keys')}`,
      },
    );
  }
  if (isProgramNote(bytes)) throw programNote(bytes, keyScheme);
  const parsedNote = parsed(bytes);
  if (isStored(parsedNote)) {
    const storedNote = parsedNote as StoredNote;
    const note = [storedNote.run, ...(storedNote.finishedRuns ?? [])].every(hasInput)
      ? stateNoteOf(storedNote)
      : undefined;
    if (note && [note.run, ...note.finishedRuns].every(isConsistent)) return note;
  }
  throw new FirstseenError('E_SNAPSHOT', 'the note is not that of a run', {
    remedy: phrase`restore the file, or give another ${optionName('state')}`,
  });
}
