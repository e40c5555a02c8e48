// Loads detectors of near-duplicates from snapshots, which are those of their tables.

import { checkOptions, type OptionNames } from '../base/check.js';
import { clockOptionNames, givenClock } from '../detectors/clock.js';
import { givenWholeModule, moduleOptionNames } from '../kernel/given.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { documentScheme } from '../records/keyscheme.js';
import { impossibleSettings } from '../snapshot/frame.js';
import { type LoadOptions, readHeaderWith } from '../snapshot/load.js';
import type { SnapshotSource } from '../snapshot/parts.js';
import { readSnapshot, type SnapshotInput } from '../snapshot/readstream.js';
import { readDetector } from '../snapshot/snapshots.js';

import { MAX_TEXT_BYTES, NearDetector, nearRegionsEnd } from './detector.js';
import { decodeNearNote, type NearJobNote, settingsOfNote } from './note.js';
import type { SignatureSettings } from './settings.js';

/** The options for loading a snapshot of range motifs. */
export type MotifLoadOptions = Pick<LoadOptions, 'maxMemory' | 'module'>;

export const motifLoadOptionNames: OptionNames<MotifLoadOptions> = { ...moduleOptionNames, maxMemory: true };

/** The options for loading a snapshot of near-duplicates. */
export type NearLoadOptions = MotifLoadOptions & Pick<LoadOptions, 'clock' | 'now'>;

const nearLoadOptionNames: OptionNames<NearLoadOptions> = { ...motifLoadOptionNames, ...clockOptionNames };

/** @throws FirstseenError E_SNAPSHOT when no settings have this note. */
function settingsOf({ settings }: NearJobNote): SignatureSettings {
  try {
    return settingsOfNote(settings);
  } catch (cause) {
    throw impossibleSettings(cause);
  }
}

async function readNear(source: SnapshotSource, { maxMemory, ...hostOptions }: NearLoadOptions): Promise<NearDetector> {
  const { module = await wholeKernel() } = givenWholeModule(hostOptions);
  const header = await readHeaderWith(source, { keyScheme: documentScheme, maxMemory, module });
  const { job, note } = decodeNearNote(header.note);
  const settings = { ...settingsOf(job), table: header.settings };
  const regionBytes = nearRegionsEnd(settings, MAX_TEXT_BYTES, 0);
  const table = await readDetector(source, header, { regionBytes, module, ...givenClock(hostOptions) });
  const near = new NearDetector(settings, table, MAX_TEXT_BYTES, note);
  near.restore(job.rest);
  return near;
}

/**
 * The detector of near-duplicates of a snapshot, in memory or from a stream, which `save`, `snapshotChunks` or `firstseen near` wrote.
 * @throws FirstseenError E_SNAPSHOT when it is not such a snapshot, complete and intact; E_STATE_DIFFERS for a snapshot of a detector
 * of keys; E_MEMORY when its table takes more than `maxMemory`.
 */
export async function loadNear(snapshot: SnapshotInput, options: NearLoadOptions = {}): Promise<NearDetector> {
  checkOptions(options, nearLoadOptionNames);
  return readSnapshot(snapshot, (source) => readNear(source, options));
}
