// The twins, one row per family, by their names in the registry.

import { apbf } from './apbf.js';
import { bloom } from './bloom.js';
import { bsbf } from './bsbf.js';
import { bsbfsd } from './bsbfsd.js';
import { buffer } from './buffer.js';
import { dsqf } from './dsqf.js';
import { exact } from './exact.js';
import { exactwindow } from './exactwindow.js';
import { fpbuffer } from './fpbuffer.js';
import { pocket } from './pocket.js';
import { pocketwindow } from './pocketwindow.js';
import { qht } from './qht.js';
import { rlbsbf } from './rlbsbf.js';
import { rsbf } from './rsbf.js';
import { sbf } from './sbf.js';
import { sqf } from './sqf.js';
import type { TwinRow } from './twin.js';

export const twins: Readonly<Record<string, TwinRow>> = {
  exact,
  bloom,
  sbf,
  rsbf,
  bsbf,
  bsbfsd,
  rlbsbf,
  buffer,
  fpbuffer,
  sqf,
  dsqf,
  qht,
  apbf,
  exactwindow,
  pocket,
  pocketwindow,
};

/** @throws Error when a family has no twin. */
export function twinOf(name: string): TwinRow {
  const row = twins[name];
  if (!row) throw new Error(`family ${name} has no twin in test/reference`);
  return row;
}
