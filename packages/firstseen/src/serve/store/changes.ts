// The kinds of changes that are logged: a row each, with its number on disk, and how it is written, read and made again. What is in a record
// besides is in log/records.ts.

import type { HeldClaim } from '../../claims/held.js';
import { type DetectorRequest, jsonText, writableRequest } from './request.js';

/** A detector, as far as a record of it says. */
export interface RecordedEntry {
  readonly number: number;
  readonly name: string;
  readonly request: DetectorRequest;
  readonly memoryBytes: number;
  /** The time of the latest element of a detector whose window is a duration; 0 otherwise. */
  readonly timeMilliseconds: number;
}

/** The parts of a record, besides its kind and its detector. */
export interface RecordParts {
  elements?: number;
  timeMilliseconds?: number;
  note?: Uint8Array;
  body?: Uint8Array;
}

/** A record that is read. */
export interface ReadParts {
  readonly elements: number;
  readonly timeMilliseconds: number;
  readonly note: Buffer;
  /** Returns a copy of bytes of the body, which follow those that were taken before. */
  take(bytes: number): Uint8Array;
}

/** A detector that begins with a record. */
export interface Begun {
  name: string;
  request: DetectorRequest;
  memoryBytes: number;
}

/** The elements that were observed, as the log has them. */
export interface Observed {
  fingerprints: BigUint64Array;
  timeMilliseconds: number;
  id?: string | undefined;
}

/** A detector whose changes are made again. */
interface Replayed {
  replay(observed: Observed): void;
  replayHeld(claim: HeldClaim): void;
  replayReleased(fingerprint: bigint): void;
  replayExpected(request: DetectorRequest): void;
  clear(): void;
}

/** The detectors that the records of a log change, by their numbers. One that a target does not have was dropped, or is not asked for. */
export interface ReplayTarget {
  find(detector: number): Replayed | undefined;
  create(created: Begun & { number: number; snapshot: Uint8Array }): Promise<void> | void;
  /** A detector was sent, whose snapshot is in a file of its own. */
  take(sent: Begun & { number: number }): Promise<void> | void;
  drop(detector: number): void;
}

interface ChangeRow<Change extends readonly unknown[], Logged extends object> {
  /** The number of the kind in a record, which is never reused. */
  readonly code: number;
  /** True if the next record is in the same block. */
  readonly isWithNext?: true;
  write(entry: RecordedEntry, ...change: Change): RecordParts;
  read(parts: ReadParts): Logged;
  apply(target: ReplayTarget, detector: number, logged: Logged): Promise<void> | void;
}

function row<Change extends readonly unknown[], Logged extends object>(
  change: ChangeRow<Change, Logged>,
): ChangeRow<Change, Logged> {
  return change;
}

const ELEMENT_BYTES = 8;

function bytesOf({ buffer, byteOffset, byteLength }: BigUint64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function oneElement(fingerprint: bigint): RecordParts {
  return { elements: 1, body: bytesOf(BigUint64Array.of(fingerprint)) };
}

function elementsIn({ elements, take }: ReadParts): BigUint64Array {
  return new BigUint64Array(take(ELEMENT_BYTES * elements).buffer);
}

function elementIn(parts: ReadParts): bigint {
  return elementsIn(parts)[0] as bigint;
}

/** Returns the note of a detector that begins, as JSON. */
function begunNote({ name, request, memoryBytes }: RecordedEntry, snapshotBytes: number): Uint8Array {
  const note = { name, request: writableRequest(request), memoryBytes, snapshotBytes };
  return Buffer.from(jsonText(note));
}

function begunIn({ note }: ReadParts): { begun: Begun; snapshotBytes: number } {
  const { snapshotBytes, ...begun } = JSON.parse(note.toString()) as Begun & { snapshotBytes: number };
  return { begun, snapshotBytes };
}

/** A change that says nothing besides its kind. */
const nothing = { write: () => ({}), read: () => ({}) };

export const changes = {
  /** A detector was made, of which the record has the snapshot. */
  created: row({
    code: 1,
    write: (entry, snapshot: Uint8Array) => ({ note: begunNote(entry, snapshot.length), body: snapshot }),
    read(parts) {
      const { begun, snapshotBytes } = begunIn(parts);
      return { ...begun, snapshot: parts.take(snapshotBytes) };
    },
    apply: (target, number, created) => target.create({ number, ...created }),
  }),
  dropped: row({ code: 2, ...nothing, apply: (target, number) => target.drop(number) }),
  cleared: row({ code: 3, ...nothing, apply: (target, number) => target.find(number)?.clear() }),
  /** Elements were observed, at the time of the detector. The id is that of their request, if it has one. */
  observed: row({
    code: 4,
    write: ({ timeMilliseconds }, fingerprints: BigUint64Array, id?: string) => ({
      ...{ elements: fingerprints.length, timeMilliseconds },
      ...{ note: Buffer.from(id ?? '', 'latin1'), body: bytesOf(fingerprints) },
    }),
    read(parts): Observed {
      const { note, timeMilliseconds } = parts;
      const id = note.length === 0 ? undefined : note.toString('latin1');
      return { fingerprints: elementsIn(parts), timeMilliseconds, id };
    },
    apply: (target, number, observed) => target.find(number)?.replay(observed),
  }),
  /** A claim holds a key from now on, or longer than before. */
  held: row({
    code: 5,
    write: (_entry, { fingerprint, token, leaseMilliseconds, expiresAtMilliseconds }: HeldClaim) => ({
      ...oneElement(fingerprint),
      timeMilliseconds: expiresAtMilliseconds,
      note: Buffer.from(JSON.stringify({ token, leaseMilliseconds })),
    }),
    read(parts) {
      const { token, leaseMilliseconds } = JSON.parse(parts.note.toString()) as HeldClaim;
      const expiresAtMilliseconds = parts.timeMilliseconds;
      return { claim: { fingerprint: elementIn(parts), token, leaseMilliseconds, expiresAtMilliseconds } };
    },
    apply: (target, number, { claim }) => target.find(number)?.replayHeld(claim),
  }),
  /** No claim holds the key any more. */
  released: row({
    code: 6,
    // A key that a commit releases is in one block with the element, so that it is never free in between.
    isWithNext: true,
    write: (_entry, fingerprint: bigint) => oneElement(fingerprint),
    read: (parts) => ({ fingerprint: elementIn(parts) }),
    apply: (target, number, { fingerprint }) => target.find(number)?.replayReleased(fingerprint),
  }),
  /** A detector was sent, whose snapshot is in a file of its number. */
  imported: row({
    code: 7,
    write: (entry) => ({ note: begunNote(entry, 0) }),
    read: (parts) => begunIn(parts).begun,
    apply: (target, number, sent) => target.take({ number, ...sent }),
  }),
  /** A later request for the detector expects something else. */
  expected: row({
    code: 8,
    write: ({ request }) => ({ note: Buffer.from(jsonText(writableRequest(request))) }),
    read: ({ note }) => ({ request: JSON.parse(note.toString()) as DetectorRequest }),
    apply: (target, number, { request }) => target.find(number)?.replayExpected(request),
  }),
} as const;

type Changes = typeof changes;
export type ChangeKind = keyof Changes;

/** The contents of a change of a kind, besides its detector. */
export type Change<Kind extends ChangeKind> =
  Parameters<Changes[Kind]['write']> extends readonly [unknown?, ...infer Rest] ? Rest : never;

/** The changes of a store are told to it, so that they can be made again. */
export interface Recorder {
  record<Kind extends ChangeKind>(kind: Kind, entry: RecordedEntry, ...change: Change<Kind>): void;
}

/** The maker of detectors, with the recorder of their changes: none while a log is replayed. */
export interface Recording {
  recorder: Recorder | undefined;
}

/** A change of a kind, as a log has it. */
export type LogRecord = {
  [Kind in ChangeKind]: { kind: Kind; detector: number } & ReturnType<Changes[Kind]['read']>;
}[ChangeKind];

/** A row of any kind. */
export type AnyChange = ChangeRow<readonly unknown[], object>;

const kindOfCode: ReadonlyMap<number, ChangeKind> = new Map(
  Object.entries(changes).map(([kind, { code }]) => [code, kind as ChangeKind]),
);

/** Returns the kind of a number in a record; undefined if there is none. */
export function kindNumbered(code: number): ChangeKind | undefined {
  return kindOfCode.get(code);
}

/** Makes a change again. */
export async function applyChange(target: ReplayTarget, record: LogRecord): Promise<void> {
  const { apply } = changes[record.kind] as unknown as AnyChange;
  await apply(target, record.detector, record);
}
