// What every family is and guarantees, one row each, in the order of the registry.

import type { DetectorName } from '../kernel/abi.js';
import { apbfDescription } from './apbf.js';
import { bloomDescription } from './bloom.js';
import { bsbfDescription } from './bsbf.js';
import { bsbfsdDescription } from './bsbfsd.js';
import { bufferDescription } from './buffer.js';
import type { DetectorFamily, FamilyDescription } from './contract.js';
import { dsqfDescription } from './dsqf.js';
import { exactDescription } from './exact.js';
import { exactwindowDescription } from './exactwindow.js';
import { fpbufferDescription } from './fpbuffer.js';
import { pocketDescription } from './pocket.js';
import { pocketwindowDescription } from './pocketwindow.js';
import { qhtDescription } from './qht.js';
import { detectorFamilies } from './registry.js';
import { rlbsbfDescription } from './rlbsbf.js';
import { rsbfDescription } from './rsbf.js';
import { sbfDescription } from './sbf.js';
import { sqfDescription } from './sqf.js';

const descriptions: Readonly<Record<DetectorName, FamilyDescription>> = {
  exact: exactDescription,
  bloom: bloomDescription,
  sbf: sbfDescription,
  rsbf: rsbfDescription,
  bsbf: bsbfDescription,
  bsbfsd: bsbfsdDescription,
  rlbsbf: rlbsbfDescription,
  buffer: bufferDescription,
  fpbuffer: fpbufferDescription,
  sqf: sqfDescription,
  dsqf: dsqfDescription,
  qht: qhtDescription,
  apbf: apbfDescription,
  exactwindow: exactwindowDescription,
  pocket: pocketDescription,
  pocketwindow: pocketwindowDescription,
};

/** An algorithm: its rule, its guarantees and its parameters. */
export interface Family extends DetectorFamily, FamilyDescription {}

/** Every algorithm, in the order in which they are listed. */
export const families: readonly Family[] = detectorFamilies.map((family) => ({
  ...family,
  ...descriptions[family.name],
}));
