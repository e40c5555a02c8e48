// Range motifs (narang-2011): records at a small Hamming distance from each other, assigned to sets in one pass. A
// batch goes through `motifsDigest` and `motifsRepeats` (pre-processing) and `motifsHash` (front end), then block by
// block through `motifsCount`, `motifsDecide` and `motifsApply` (back end). Threads divide the records of the front end
// and the arrays of the back end (`motifsOwnerSteps`).

import { seedRandom } from '../lib/random';
import { drawPositions } from './motifs/addresses';
import { fillSpreadTable } from './motifs/arrays';
import { motifsSetOpened } from './motifs/decide';
import { layOut, tableBytes } from './motifs/settings';

export { motifsHash } from './motifs/addresses';
export { motifsApply, motifsCount } from './motifs/arrays';
export { motifsDecide, motifsGather, motifsOpened, motifsSetOpened } from './motifs/decide';
export {
  MOTIFS_BATCH_BYTES,
  MOTIFS_MEETING_BYTES,
  motifsBatchAt,
  motifsBegin,
  motifsFilled,
  motifsMet,
  motifsOwnerSteps,
  motifsOwnersConfigure,
  motifsStep,
} from './motifs/owners';
export { motifsPartBytes } from './motifs/part';
export { MOTIFS_DIGEST_BYTES, motifsDigest, motifsRepeats } from './motifs/repeats';
export {
  MOTIFS_ADDRESS_BITS_PARAMETER,
  MOTIFS_ARRAY_BYTES_PARAMETER,
  MOTIFS_BLOCK,
  MOTIFS_ENTRY_BITS_LOG_PARAMETER,
  MOTIFS_GROUP,
  MOTIFS_HASHES_PARAMETER,
  MOTIFS_NO_SET,
  MOTIFS_OPENING_CONFIRMED,
  MOTIFS_OPENING_PARAMETER,
  MOTIFS_OPENING_THRESHOLD,
  MOTIFS_OPENING_TIED,
  MOTIFS_RECORD_BYTES_PARAMETER,
  MOTIFS_SETS_PARAMETER,
  MOTIFS_THRESHOLD_PARAMETER,
  motifsPartStart,
} from './motifs/settings';

/**
 * Reads the parameters. Instances that share a memory share the tables, and each has its own workspace, whose size in
 * bytes is returned.
 */
export function motifsConfigure(tables: u32, workspace: u32): u32 {
  seedRandom();
  return layOut(tables, workspace);
}

/** Fills the tables; returns their size in bytes. No set is open afterwards. */
export function motifsFillTables(): u32 {
  fillSpreadTable();
  drawPositions();
  motifsSetOpened(0);
  return tableBytes();
}
