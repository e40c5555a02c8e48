// Exact deduplication of more keys than memory holds: the keys are settled on disk, and the inputs are read twice (src/jobs/spill).

import { FirstseenError, invalidOption, optionName, type Phrase, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { Emission } from '../../io/policies.js';
import type { InputNote } from '../../io/source.js';
import { AUTO, type PlannedOptions } from '../../plan/auto.js';
import { planSettings } from '../../plan/autosettings.js';
import type { InputFormatName } from '../../records/formats.js';
import type { Job, JobRun, RecordReview } from '../../run/job.js';
import { changedInput } from '../../run/reread.js';
import type { RunOptions } from '../../run/runoptions.js';
import { BatchCounts, countingWriter } from './counting.js';
import { choices } from './folder.js';
import type { Keep } from './keep.js';
import { expectedKeys, layOutSpill, MIN_SPILL_BYTES } from './layout.js';
import { Spill } from './spill.js';

interface SpillOptions {
  detector: PlannedOptions;
  folder: string;
  keep: Keep;
  emit: Emission;
  /** True if records are written with the counts of their keys. */
  count: boolean;
  /** Notes records for a report. */
  review: RecordReview | undefined;
  /** The format, if it is not guessed from the names of the inputs. */
  format: InputFormatName | undefined;
}

const SPILL = optionName('spill');

/** The algorithm of a run that spills. */
const EXACT = 'exact';

/** Only a run that spills knows the whole input before it writes, and its answers are exact. */
function checkAlgorithm(algorithm: PlannedOptions['algorithm'], because: Phrase): void {
  if (algorithm === undefined || algorithm === AUTO || algorithm === EXACT) return;
  const option = optionName('algorithm');
  throw new FirstseenError(
    'E_USAGE',
    phrase`${option} ${algorithm} was given with ${because}, whose answers are exact`,
    {
      ...{ option: 'algorithm', given: algorithm },
      remedy: phrase`leave ${option} or ${because} out`,
    },
  );
}

/**
 * Refuses what a run that spills cannot do. Returns the detector, which is exact.
 * @param because the option because of which the run spills
 * @throws FirstseenError E_USAGE or E_MEMORY
 */
export function spillingDetector(
  { detector = {}, state, isReadOnly, isFollowing, onElements, secretFile }: RunOptions,
  because: Phrase,
): PlannedOptions {
  const refuse = (option: string, reason: string): never => {
    throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given with ${because}, ${reason}`, {
      option,
      remedy: phrase`leave ${optionName(option)} or ${because} out`,
    });
  };
  const { algorithm, fingerprint, window, refresh, witness, parameters } = detector;
  checkAlgorithm(algorithm, because);
  if (isFollowing) refuse('isFollowing', 'but the input is read twice, so it must end');
  if (isReadOnly) refuse('isReadOnly', 'but the elements on disk are not kept after the run');
  if (state !== undefined) refuse('state', 'but the elements on disk are not kept after the run');
  if (window !== undefined) refuse('window', 'but elements on disk have no window');
  if (refresh !== undefined) refuse('refresh', 'but elements on disk have no window');
  if (onElements !== undefined) refuse('onElements', 'but the keys have no fingerprints of 64 bits');
  if (typeof witness === 'object') refuse('witness.memory', 'but exact answers need no witness');
  const [parameter] = Object.keys(parameters ?? {});
  if (parameter !== undefined) refuse(`parameters.${parameter}`, 'but it takes no parameters');
  const isKeyed = detector.secret !== undefined || secretFile !== undefined;
  if (fingerprint !== undefined && fingerprint !== (isKeyed ? 'siphash' : 'xxh64')) {
    refuse('fingerprint', 'but elements on disk have a fingerprint of more than 64 bits');
  }
  return { ...detector, algorithm: EXACT };
}

/** The settings of the memory. Its cells are not a table of the family, so the family's parameters say nothing. */
function settingsOf(detector: PlannedOptions): DetectorSettings {
  const settings = planSettings({ ...detector, witness: false });
  if (settings.memoryBytes >= MIN_SPILL_BYTES) return { ...settings, parameters: { values: {}, kernel: [] } };
  throw invalidOption({
    code: 'E_MEMORY',
    option: 'memory',
    given: settings.memoryBytes,
    givenText: formatBytes(settings.memoryBytes),
    expected: phrase`at least ${formatBytes(MIN_SPILL_BYTES)} with ${SPILL}`,
  });
}

function begin(options: SpillOptions, detector: Detector, inputs: readonly InputNote[]): JobRun {
  const { folder, format, keep, emit, count: isCounting, review } = options;
  const kernel = kernelOf(detector);
  const memory = { offset: kernel.cellsOffset, bytes: kernel.cellsBytes };
  const choice = choices[emit];
  const needs = { choice: choice !== undefined, counts: isCounting, ranks: keep.field !== undefined };
  const spill = new Spill(kernel, layOutSpill(memory, expectedKeys(inputs, format), needs), folder, {
    ...{ keep, choice, isCounting },
  });
  const counts = isCounting ? new BatchCounts() : undefined;
  return {
    firstReading: {
      folder,
      observe(count) {
        spill.scatter(count);
        return { taken: count };
      },
      finish: (signal) => spill.settle(signal),
      checkWhole() {
        if (!spill.isWhole) throw changedInput('an input');
      },
      close: () => spill.close(),
    },
    observe(count) {
      if (!spill.tell(count)) throw changedInput('an input');
      if (counts) spill.copyCounts(counts.first(count));
      return { taken: count };
    },
    review,
    ...(counts && { writer: (records) => countingWriter(emit, counts, records) }),
    stats: () => ({ load: spill.load, spill: spill.stats }),
  };
}

export const spillJob: Job<SpillOptions> = {
  name: 'spill',
  takes: 'spans',
  comparesKeys: true,
  emissions: ['distinct', 'unique', 'repeated', 'duplicates', 'verdicts', 'all'],
  resolve(options, { secret }) {
    const detector = secret === undefined ? options.detector : { ...options.detector, secret };
    return {
      detector,
      rank: options.keep.field,
      settings: () => settingsOf(detector),
      begin: (made, inputs) => begin(options, made, inputs),
    };
  },
};
