// The table of verified near-duplicates (docs/NEAR.md): it holds documents, and not elements. So it is not among the families from which
// a program chooses, and no planner has it.

import { checkWhole } from '../base/check.js';
import { FirstseenError, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import {
  type DetectorExports,
  type DetectorName,
  type KernelExports,
  SKETCHES_BANDS_PARAMETER,
  SKETCHES_BUCKET_BYTES,
  SKETCHES_BUCKETS_PARAMETER,
  SKETCHES_BYTES_PARAMETER,
  SKETCHES_RING_PARAMETER,
  SKETCHES_SLOTS_PARAMETER,
  SKETCHES_START_BYTES,
} from '../kernel/abi.js';
import { type DetectorFamily, type ParameterRequest, parameterOption, wholeParameter } from './contract.js';

/** A sketch is words of 64 bits, the first of which says what the others are. */
export const SKETCH_STEP_BYTES = 8;
export const MIN_SKETCH_BYTES = 2 * SKETCH_STEP_BYTES;
export const MAX_SKETCH_BYTES = 4096;
/** Slots whose numbers leave at least 6 bits of an entry for its fingerprint. */
const MAX_RING = 2 ** 25;
/** The most slots of a document. */
export const MAX_SKETCH_SLOTS = 8;
const MAX_BANDS = 1024;
/** A table has whole words of 64 bits. */
const WORD_BYTES = 8;
/**
 * Bytes of a band: an entry of 4 bytes, and as much room that four of five entries are in use when the ring is full. With less room,
 * more buckets are full before their entries leave the ring, and bands of old documents are lost.
 */
export const SKETCH_BAND_BYTES = 5;

interface Sizes {
  sketchBytes: number;
  bands: number;
  /** The most slots of a document. */
  sketchSlots: number;
}

/** Returns the number of buckets for the bands of as many documents as a ring has slots. */
function bucketsFor(ring: number, { bands }: Sizes): number {
  return Math.ceil((ring * bands * SKETCH_BAND_BYTES) / SKETCHES_BUCKET_BYTES);
}

/** Returns the bytes of a ring: its slots, and where documents begin if they may have several slots. */
function ringBytes(ring: number, { sketchBytes, sketchSlots }: Sizes): number {
  return (
    ring * sketchBytes + (sketchSlots > 1 ? WORD_BYTES * Math.ceil((ring * SKETCHES_START_BYTES) / WORD_BYTES) : 0)
  );
}

/** Returns the bytes of a table whose ring has this number of slots. */
function bytesFor(ring: number, sizes: Sizes): number {
  return ringBytes(ring, sizes) + bucketsFor(ring, sizes) * SKETCHES_BUCKET_BYTES;
}

/** Returns the bytes of a slot, with the entries of the bands of one document. */
export function slotBytesOf({ sketchBytes, bands, sketchSlots }: Sizes): number {
  return sketchBytes + (sketchSlots > 1 ? SKETCHES_START_BYTES : 0) + bands * SKETCH_BAND_BYTES;
}

/** Returns the number of slots that fit the memory. */
function ringIn(memoryBytes: number, sizes: Sizes): number {
  const ring = Math.floor(memoryBytes / slotBytesOf(sizes));
  return bytesFor(ring, sizes) > memoryBytes ? ring - 1 : ring;
}

/** @throws FirstseenError E_MEMORY when the memory has no room for the documents. */
function checkRoom(request: ParameterRequest, ring: number, sizes: Sizes): void {
  if (ring >= sizes.sketchSlots && ringIn(request.memoryBytes, sizes) >= ring) return;
  const minBytes = bytesFor(Math.max(sizes.sketchSlots, ring), sizes);
  const memoryText = formatBytes(request.memoryBytes);
  throw new FirstseenError(
    'E_MEMORY',
    phrase`the sketches of ${Math.max(1, ring)} documents take more than ${memoryText}`,
    {
      option: 'memory',
      given: request.memoryBytes,
      expected: `at least ${minBytes} bytes`,
      remedy: 'give more memory, smaller sketches or a smaller window',
    },
  );
}

export const sketches: DetectorFamily = {
  // No option takes this name, so it is not among those of the type.
  name: 'sketches' as DetectorName,
  id: 18,
  layouts: ['blocked'],
  layout: 'blocked',
  parameters: [
    { letter: 'S', name: 'sketchBytes', description: 'bytes of a slot for sketches' },
    { letter: 'b', name: 'bands', description: 'bands of a document' },
    { letter: 'M', name: 'sketchSlots', description: 'slots of a document at most', optional: true },
    { letter: 'W', name: 'windowDocuments', description: 'documents of the window', optional: true },
    { letter: 'n', name: 'ringSlots', description: 'slots for sketches', derived: true },
    { letter: 'B', name: 'buckets', description: 'buckets of entries of bands', derived: true },
  ],
  resolve(request) {
    const S = wholeParameter(request, 'S', { least: MIN_SKETCH_BYTES, most: MAX_SKETCH_BYTES }, () => 512);
    checkWhole(parameterOption(request, 'S'), S / SKETCH_STEP_BYTES, { least: 1, most: MAX_SKETCH_BYTES });
    const b = wholeParameter(request, 'b', { least: 1, most: MAX_BANDS }, () => 16);
    const M = wholeParameter(request, 'M', { least: 1, most: MAX_SKETCH_SLOTS }, () => 1);
    const W = wholeParameter(request, 'W', { least: 0, most: MAX_RING }, () => 0);
    const sizes = { sketchBytes: S, bands: b, sketchSlots: M };
    const fitting = ringIn(request.memoryBytes, sizes);
    const n = W > 0 ? W : Math.min(fitting, MAX_RING);
    checkRoom(request, n, sizes);
    // With a window, the memory that sketches do not take is for entries.
    const B = Math.floor((request.memoryBytes - ringBytes(n, sizes)) / SKETCHES_BUCKET_BYTES);
    const buckets = Math.min(B, 2 * bucketsFor(n, sizes));
    return {
      values: { S, b, ...(M > 1 ? { M } : {}), ...(W > 0 ? { W } : {}), n, B: buckets },
      kernel: [
        [SKETCHES_BYTES_PARAMETER, S],
        [SKETCHES_BANDS_PARAMETER, b],
        [SKETCHES_RING_PARAMETER, n],
        [SKETCHES_BUCKETS_PARAMETER, buckets],
        [SKETCHES_SLOTS_PARAMETER, M],
      ],
      cellsBytes: ringBytes(n, sizes) + buckets * SKETCHES_BUCKET_BYTES,
    };
  },
  holdsDocuments: true,
};

/** The functions of the kernel for it. */
export function sketchExports({ sketchesConfigure, sketchesLoad, sketchesCheck }: KernelExports): DetectorExports {
  return {
    configure: sketchesConfigure,
    load: sketchesLoad,
    check: sketchesCheck,
    observe: refuseElements,
    test: refuseElements,
  };
}

/** The rule is in `SketchTable`, because a document has a sketch in addition to its elements. */
function refuseElements(): never {
  throw new Error('the table of sketches takes documents, not elements');
}
