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
  SKETCHES_DOCUMENTS_PARAMETER,
} from '../kernel/abi.js';
import { type DetectorFamily, type ParameterRequest, parameterOption, wholeParameter } from './contract.js';

/** A sketch is words of 64 bits, the first of which says what the others are. */
export const SKETCH_STEP_BYTES = 8;
export const MIN_SKETCH_BYTES = 2 * SKETCH_STEP_BYTES;
export const MAX_SKETCH_BYTES = 4096;
/** Documents whose numbers leave at least 6 bits of an entry for its fingerprint. */
const MAX_DOCUMENTS = 2 ** 25;
const MAX_BANDS = 1024;
/**
 * Bytes of a band: an entry of 4 bytes, and as much room that four of five entries are in use when the ring is full. With less room,
 * more buckets are full before their entries leave the ring, and bands of old documents are lost.
 */
export const SKETCH_BAND_BYTES = 5;

interface Sizes {
  sketchBytes: number;
  bands: number;
}

/** Returns the number of buckets for the bands of this number of documents. */
function bucketsFor(documents: number, { bands }: Sizes): number {
  return Math.ceil((documents * bands * SKETCH_BAND_BYTES) / SKETCHES_BUCKET_BYTES);
}

/** Returns the bytes of a table of this number of documents. */
function bytesFor(documents: number, sizes: Sizes): number {
  return documents * sizes.sketchBytes + bucketsFor(documents, sizes) * SKETCHES_BUCKET_BYTES;
}

/** Returns the number of documents that fit the memory. */
function documentsIn(memoryBytes: number, sizes: Sizes): number {
  const documents = Math.floor(memoryBytes / (sizes.sketchBytes + sizes.bands * SKETCH_BAND_BYTES));
  return bytesFor(documents, sizes) > memoryBytes ? documents - 1 : documents;
}

/** @throws FirstseenError E_MEMORY when the memory has no room for the documents. */
function checkRoom(request: ParameterRequest, documents: number, sizes: Sizes): void {
  if (documents >= 1 && documentsIn(request.memoryBytes, sizes) >= documents) return;
  const minBytes = bytesFor(Math.max(1, documents), sizes);
  const memoryText = formatBytes(request.memoryBytes);
  throw new FirstseenError('E_MEMORY', phrase`the sketches of ${documents} documents take more than ${memoryText}`, {
    option: 'memory',
    given: request.memoryBytes,
    expected: `at least ${minBytes} bytes`,
    remedy: 'give more memory, smaller sketches or a smaller window',
  });
}

export const sketches: DetectorFamily = {
  // No option takes this name, so it is not among those of the type.
  name: 'sketches' as DetectorName,
  id: 18,
  layouts: ['blocked'],
  layout: 'blocked',
  parameters: [
    { letter: 'S', name: 'sketchBytes', description: 'bytes of the sketch of a document' },
    { letter: 'b', name: 'bands', description: 'bands of a document' },
    { letter: 'W', name: 'windowDocuments', description: 'documents of the window', optional: true },
    { letter: 'n', name: 'documents', description: 'documents that are remembered', derived: true },
    { letter: 'B', name: 'buckets', description: 'buckets of entries of bands', derived: true },
  ],
  resolve(request) {
    const S = wholeParameter(request, 'S', { least: MIN_SKETCH_BYTES, most: MAX_SKETCH_BYTES }, () => 512);
    checkWhole(parameterOption(request, 'S'), S / SKETCH_STEP_BYTES, { least: 1, most: MAX_SKETCH_BYTES });
    const b = wholeParameter(request, 'b', { least: 1, most: MAX_BANDS }, () => 16);
    const W = wholeParameter(request, 'W', { least: 0, most: MAX_DOCUMENTS }, () => 0);
    const sizes = { sketchBytes: S, bands: b };
    const fitting = documentsIn(request.memoryBytes, sizes);
    const n = W > 0 ? W : Math.min(fitting, MAX_DOCUMENTS);
    checkRoom(request, n, sizes);
    // With a window, the memory that sketches do not take is for entries.
    const B = Math.floor((request.memoryBytes - n * S) / SKETCHES_BUCKET_BYTES);
    const buckets = Math.min(B, 2 * bucketsFor(n, sizes));
    return {
      values: { S, b, ...(W > 0 ? { W } : {}), n, B: buckets },
      kernel: [
        [SKETCHES_BYTES_PARAMETER, S],
        [SKETCHES_BANDS_PARAMETER, b],
        [SKETCHES_DOCUMENTS_PARAMETER, n],
        [SKETCHES_BUCKETS_PARAMETER, buckets],
      ],
      cellsBytes: n * S + buckets * SKETCHES_BUCKET_BYTES,
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
