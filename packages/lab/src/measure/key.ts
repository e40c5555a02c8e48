// By what a run is known again.

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

/** The same for specs that say the same, and for no others. */
export function runKey(spec: RunSpec): string {
  return createHash('sha256').update(canonical(spec)).digest('hex').slice(0, KEY_DIGITS);
}

/** The same for runs that can share one stream. */
export function streamKey({ stream, identity }: RunSpec): string {
  return canonical({ stream, identity });
}
