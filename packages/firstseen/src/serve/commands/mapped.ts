// Keys of Redis that a map has: its detector, and the errors of commands that mean something else by such a key.

import { formatDuration } from '../../base/duration.js';
import { shownValue } from '../../base/errors.js';
import type { Claims } from '../../claims/claims.js';
import { DEFAULT_LEASE_MILLISECONDS } from '../../claims/options.js';
import { exactFamily, exactWindowFamily } from '../../detectors/registry.js';
import { longFlag } from '../../options/longflag.js';
import * as rows from '../../options/serve.js';
import type { KeyMap, Meaning } from '../maps/keymap.js';
import type { KeyMaps } from '../maps/keymaps.js';
import { MAX_CLAIM_MILLISECONDS } from '../operations/createoptions.js';
import { ErrorReply } from '../resp/replies.js';
import type { DetectorEntry } from '../store/entry.js';
import type { DetectorStore } from '../store/store.js';
import type { Arguments } from './arguments.js';
import type { CommandContext } from './row.js';

/** A map, and its detector. */
export interface Mapped {
  readonly map: KeyMap;
  readonly entry: DetectorEntry;
}

/** A map whose keys are claimed. */
export interface MappedClaims extends Mapped {
  readonly claims: Claims;
}

export function isForClaims(mapped: Mapped): mapped is MappedClaims {
  return 'claims' in mapped;
}

/** The commands that keys of a map take. */
const commandsTaken: Readonly<Record<Meaning, string>> = {
  seen: 'SET NX, SETNX, SADD, SISMEMBER, SMISMEMBER and EXISTS',
  claims: 'SET NX, SET, SETEX, PSETEX, GET, DEL, UNLINK, EXISTS, TTL, PTTL, and EVAL of the scripts of locks',
};

/** The memory of a detector that an error proposes. */
const PROPOSED_MEMORY = '64MiB';
const DAY_SECONDS = 86_400;
const MAX_SEARCHED_ARGUMENTS = 16;
/** Bytes of the name of a command that an error shows. */
const MAX_NAME_BYTES = 64;

/** A key as an error shows it. */
export function shownKey(key: Uint8Array): string {
  return shownValue(Buffer.from(key).toString());
}

/** The error of a command for which a key of a map has no meaning. */
export function notTaken(command: string, { text, meaning }: KeyMap, key: Uint8Array): ErrorReply {
  return new ErrorReply(
    `ERR ${command} of ${shownKey(key)} is not for keys of the map ${text}; they take ${commandsTaken[meaning]}`,
  );
}

/** The error of a command on a key that no map has. */
export function withoutMap(command: string, key: Uint8Array): ErrorReply {
  return new ErrorReply(
    `ERR ${command} is for keys of a map, and ${shownKey(key)} has none: this server has detectors only; ` +
      `start it with ${longFlag(rows.maps)} dedup:*=events to have keys seen, or with ${longFlag(rows.maps)} lock:*=locks,claim to have keys held`,
  );
}

/** The error of an unknown command that names a key of a map; undefined for one that does not. */
export function notOfMap(command: Arguments, { server }: CommandContext): ErrorReply | undefined {
  for (let i = 1; i < Math.min(command.count, MAX_SEARCHED_ARGUMENTS); i++) {
    const map = mapAt(command, i, server.maps);
    if (map) return notTaken(command.word(0).slice(0, MAX_NAME_BYTES), map, command.bytes(i));
  }
  return undefined;
}

/** The map of the key that is an argument. */
export function mapAt(command: Arguments, index: number, maps: KeyMaps): KeyMap | undefined {
  const bytes = command.bytes(index);
  return maps.find(bytes, 0, bytes.length);
}

/** The time for which a command asks to keep a key. */
export interface Kept {
  /** Undefined if the key is kept for ever. */
  milliseconds: number | undefined;
  /** True if it is the lease of a claim. */
  isLease: boolean;
}

/** The command that makes a detector for the keys of a map, if they are kept so long. */
function creationOf(name: string, { meaning }: KeyMap, retention?: Kept): string {
  const { milliseconds, isLease = false } = retention ?? { milliseconds: DAY_SECONDS * 1000 };
  const duration = milliseconds === undefined ? undefined : formatDuration(milliseconds / 1000);
  const window = isLease ? formatDuration(DAY_SECONDS) : duration;
  const leaseMilliseconds = Math.min(
    (isLease ? milliseconds : undefined) ?? DEFAULT_LEASE_MILLISECONDS,
    MAX_CLAIM_MILLISECONDS,
  );
  const lease = formatDuration(leaseMilliseconds / 1000);
  const { name: algorithm } = window === undefined ? exactFamily : exactWindowFamily;
  const words = [
    // A detector for claims is exact by itself.
    meaning === 'claims' ? ` CLAIMS LEASE ${lease}` : ` ALGORITHM ${algorithm}`,
    window === undefined ? '' : ` WINDOW ${window}`,
  ];
  return `FS.CREATE ${name}${words.join('')} MEMORY ${PROPOSED_MEMORY}`;
}

/** Returns the remedy for a detector that is not what commands on the keys of its map ask for. */
export function otherDetector(map: KeyMap, retention?: Kept): string {
  return `name a detector in the map that is made by ${creationOf('NAME', map, retention)}`;
}

/** Describes the problem of the detector of a map. */
function problemOf({ meaning }: KeyMap, { claims, detector }: DetectorEntry): string | undefined {
  if (meaning === 'claims' && claims === undefined) return 'was not made for claims';
  if (meaning === 'seen' && claims) return 'was made for claims, and the map does not say claim';
  const isRestarted = detector.settings.parameters.values.refresh === 'yes';
  return isRestarted ? 'keeps a key longer at each repeat, which Redis does not' : undefined;
}

/** The problem of a map whose detector was not made for it, and the remedy; undefined without one, and for a detector that does not exist yet. */
export function mapProblem(map: KeyMap, store: DetectorStore): { problem: string; remedy: string } | undefined {
  const entry = store.find(map.detector);
  const problem = entry && problemOf(map, entry);
  if (problem === undefined) return undefined;
  return { problem: `the detector ${map.detector} of the map ${map.text} ${problem}`, remedy: otherDetector(map) };
}

/** The map with its detector, or the error that says how to make it. */
export function detectorOf(map: KeyMap, store: DetectorStore, retention?: Kept): Mapped | ErrorReply {
  const { text, detector } = map;
  const entry = store.find(detector);
  const problem = entry ? problemOf(map, entry) : 'does not exist';
  if (entry && problem === undefined)
    return entry.claims ? ({ map, entry, claims: entry.claims } as MappedClaims) : { map, entry };
  const remedy = entry ? otherDetector(map, retention) : `make it: ${creationOf(detector, map, retention)}`;
  return new ErrorReply(`ERR the detector ${detector} of the map ${text} ${problem}; ${remedy}`);
}

/** The detector for claims that has the key of a command. */
export function claimedAt(command: Arguments, index: number, { server }: CommandContext): MappedClaims | ErrorReply {
  const [name, key] = [command.word(0), command.bytes(index)];
  const map = mapAt(command, index, server.maps);
  if (map === undefined) return withoutMap(name, key);
  if (map.meaning === 'seen') return notTaken(name, map, key);
  return detectorOf(map, server.store) as MappedClaims | ErrorReply;
}
