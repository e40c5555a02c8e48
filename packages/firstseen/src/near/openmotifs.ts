// Creates range motifs, and loads them from snapshots.

import { checkOptions } from '../base/check.js';
import { givenWholeModule, type ModuleOptions, withoutModule } from '../kernel/given.js';
import { maxBytesOf } from '../snapshot/load.js';
import { readSnapshot, type SnapshotInput } from '../snapshot/readstream.js';
import { type MotifLoadOptions, motifLoadOptionNames } from './load.js';
import { RangeMotifs } from './motifs.js';
import { type MotifOptions, resolveMotifSettings } from './motifsettings.js';

/**
 * Creates sets of records of one length that differ in few bits. No set is open yet (docs/MOTIFS.md).
 * @throws FirstseenError E_PARAMETER naming what is outside its range; E_MEMORY when the arrays are larger than what WebAssembly
 * can address or the machine grants.
 */
export async function createMotifs(options: MotifOptions & ModuleOptions): Promise<RangeMotifs> {
  const settings = resolveMotifSettings(withoutModule(options));
  return RangeMotifs.ofSettings(settings, givenWholeModule(options));
}

/**
 * The range motifs of a snapshot, in memory or from a stream, which `save` or `snapshotChunks` wrote.
 * @throws FirstseenError E_SNAPSHOT when it is not a complete, intact snapshot of range motifs; E_MEMORY when their arrays take more
 * than `maxMemory`.
 */
export async function loadMotifs(snapshot: SnapshotInput, options: MotifLoadOptions = {}): Promise<RangeMotifs> {
  const maxBytes = maxBytesOf(checkOptions(options, motifLoadOptionNames).maxMemory);
  const kernel = givenWholeModule(options);
  return readSnapshot(snapshot, (source) => RangeMotifs.read(source, maxBytes, kernel));
}
