// The keys by which a run and its stream are recognized.

import { createHash } from 'node:crypto';
import type { RunSpec } from '../contract.js';

const KEY_DIGITS = 32;

/** JSON with the members of every object in the order of their names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A spec as results have it: without the folder of its file, which differs between machines. */
export function recordedSpec({ stream: { folder: _folder, ...stream }, ...spec }: RunSpec): RunSpec {
  return { stream, ...spec };
}

/** Equal for specs that are recorded as equal, only. */
export function runKey(spec: RunSpec): string {
  return createHash('sha256')
    .update(canonical(recordedSpec(spec)))
    .digest('hex')
    .slice(0, KEY_DIGITS);
}

/** Equal for runs that can share one stream. */
export function streamKey({ stream, identity }: RunSpec): string {
  return canonical({ stream, identity });
}
