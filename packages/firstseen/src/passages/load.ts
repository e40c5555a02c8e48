// Loads detectors of passages from snapshots, which are those of their tables.

import { checkOptions, type OptionNames } from '../base/check.js';
import { type ClockOptions, clockOptionNames, givenClock } from '../detectors/clock.js';
import { givenWholeModule, type ModuleOptions, moduleOptionNames } from '../kernel/given.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { documentScheme } from '../records/keyscheme.js';
import { impossibleSettings } from '../snapshot/frame.js';
import { type LoadOptions, readHeaderWith } from '../snapshot/load.js';
import type { SnapshotSource } from '../snapshot/parts.js';
import { readSnapshot, type SnapshotInput } from '../snapshot/readstream.js';
import { decodeJobNote } from '../snapshot/savedjob.js';
import { readDetector } from '../snapshot/snapshots.js';
import { type CuttingOptions, settledCutting } from './create.js';
import type { CuttingSettings } from './cutting.js';
import { PassageDetector } from './detector.js';
import { type FreeSettings, PASSAGES, passagesOfJob } from './note.js';

/** The options that may differ from those with which the table was made, and what is asked of a snapshot. */
export interface PassageLoadOptions
  extends Pick<CuttingOptions, keyof FreeSettings>,
    ModuleOptions,
    ClockOptions,
    Pick<LoadOptions, 'maxMemory'> {}

const loadOptionNames: OptionNames<PassageLoadOptions> = {
  ...{ overlap: true, minLength: true, minWords: true, skipEmpty: true, maxMemory: true },
  ...moduleOptionNames,
  ...clockOptionNames,
};

/** @throws FirstseenError E_SNAPSHOT when the settings of the snapshot are not possible. */
function savedCutting(settings: Partial<CuttingSettings>): CuttingSettings {
  try {
    return settledCutting(settings);
  } catch (cause) {
    throw impossibleSettings(cause);
  }
}

async function readPassages(source: SnapshotSource, options: PassageLoadOptions): Promise<PassageDetector> {
  const { maxMemory, overlap, minLength, minWords, skipEmpty } = options;
  const { module = await wholeKernel() } = givenWholeModule(options);
  const header = await readHeaderWith(source, { keyScheme: documentScheme, maxMemory, module });
  const { job, note } = decodeJobNote(header.note, { name: PASSAGES, what: 'passages' });
  const savedPassages = passagesOfJob(job);
  const settings = settledCutting({ overlap, minLength, minWords, skipEmpty }, savedCutting(savedPassages.settings));
  return PassageDetector.ofTable(
    settings,
    (regionBytes) => readDetector(source, header, { regionBytes, module, ...givenClock(options) }),
    { note, totals: savedPassages.totals },
  );
}

/**
 * The detector of passages of a snapshot, in memory or from a stream, which `save`, `snapshotChunks` or `firstseen passages` wrote. It
 * goes on as the saved one would have. `overlap`, `minLength`, `minWords` and `skipEmpty` may be others.
 * @throws FirstseenError E_SNAPSHOT when it is not such a snapshot, complete and intact; E_STATE_DIFFERS for a snapshot of a detector
 * of keys; E_MEMORY when its table takes more than `maxMemory`; E_PARAMETER for an option that is impossible.
 */
export async function loadPassages(
  snapshot: SnapshotInput,
  options: PassageLoadOptions = {},
): Promise<PassageDetector> {
  checkOptions(options, loadOptionNames);
  return readSnapshot(snapshot, (source) => readPassages(source, options));
}
