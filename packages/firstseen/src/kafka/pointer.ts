// The pointer of a partition: how far its records were given out, and the snapshots from which the detector of that point can be made
// again. It is a record of a compacted topic, and is committed with the outputs, so that it is always the truth about them.

import { FirstseenError } from '../base/errors.js';
import { isCount } from '../base/jsonchecks.js';

/** A snapshot of the detector before an offset of its partition. */
export interface PointedSnapshot {
  /** The name of the file in the state folder. */
  file: string;
  /** The offset of the first record that the snapshot does not have. */
  offset: number;
  /** When it was written, in milliseconds since 1970. */
  writtenMilliseconds: number;
}

export interface Pointer {
  /** The topic of the input. */
  input: string;
  partition: number;
  /** The random name of the detector, as 16 hexadecimal digits. Files of other groups, and of other clusters, have other names. */
  detectorId: string;
  /** The offset of the first record that was not given out. */
  position: number;
  /** Elements that the detector has observed before the position, and those that were duplicates: a replay has to arrive at the same. */
  observed: number;
  duplicates: number;
  /** What decides the answers, in short. */
  settings: string;
  /** The newest first. */
  snapshots: readonly PointedSnapshot[];
}

export const POINTER_VERSION = 1;

const DETECTOR_ID = /^[0-9a-f]{16}$/;

/** The key of the pointer of a partition: groups and inputs may share a topic. */
export function pointerKey(group: string, { input, partition }: Pick<Pointer, 'input' | 'partition'>): Uint8Array {
  return Buffer.from(JSON.stringify([group, input, partition]));
}

export function encodePointer(pointer: Pointer): Uint8Array {
  return Buffer.from(JSON.stringify({ version: POINTER_VERSION, ...pointer }));
}

function isSnapshot(value: unknown): value is PointedSnapshot {
  const { file, offset, writtenMilliseconds } = (value ?? {}) as Partial<PointedSnapshot>;
  // The name of a file, not a path: who writes to the topic does not choose what is read.
  return typeof file === 'string' && /^[\w.-]+$/.test(file) && [offset, writtenMilliseconds].every(isCount);
}

function isPointer(value: Partial<Pointer>): value is Pointer {
  const { input, partition, detectorId, position, observed, duplicates, settings, snapshots } = value;
  return (
    typeof input === 'string' &&
    typeof detectorId === 'string' &&
    DETECTOR_ID.test(detectorId) &&
    [partition, position, observed, duplicates].every(isCount) &&
    typeof settings === 'string' &&
    Array.isArray(snapshots) &&
    snapshots.length > 0 &&
    snapshots.every((one) => isSnapshot(one) && one.offset <= (position as number))
  );
}

function broken(place: string, problem: string): FirstseenError {
  return new FirstseenError('E_STATE_FILE', `the pointer ${place} ${problem}`, {
    remedy: 'use the version of firstseen that wrote it, or start with another group',
  });
}

/** @param place where the pointer is, for errors. @throws FirstseenError E_STATE_FILE for what is not a pointer of this version */
export function decodePointer(bytes: Uint8Array, place: string): Pointer {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw broken(place, 'is not JSON');
  }
  const { version, ...pointer } = (value ?? {}) as Partial<Pointer> & { version?: unknown };
  if (version !== POINTER_VERSION) {
    throw broken(place, `has the version ${version}, but this version of firstseen reads ${POINTER_VERSION}`);
  }
  if (isPointer(pointer)) return pointer;
  throw broken(place, 'lacks what a pointer has');
}
