// Exact deduplication of more keys than memory holds: the keys are settled on disk, and the inputs are read twice (src/jobs/spill).

import { FirstseenError, invalidOption, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { Emission } from '../../io/policies.js';
import type { InputNote } from '../../io/source.js';
import type { PlannedOptions } from '../../plan/auto.js';
import { planSettings } from '../../plan/autosettings.js';
import type { InputFormatName } from '../../records/formats.js';
import type { Job, JobRun } from '../../run/job.js';
import { type RunOptions, runDefaults } from '../../run/options.js';
import { changedInput } from '../../run/reread.js';
import { BatchCounts, countingWriter } from './counting.js';
import type { Keep } from './keep.js';
import { expectedKeys, LEAST_SPILL_BYTES, layOutSpill } from './layout.js';
import type { Choice } from './request.js';
import { Spill } from './spill.js';

interface SpillOptions {
  detector: PlannedOptions;
  folder: string;
  keep: Keep;
  emit: Emission;
  /** Whether records are written with the counts of their keys. */
  count: boolean;
  /** The format, if it is not guessed from the names of the inputs. */
  format: InputFormatName | undefined;
}

const SPILL = optionName('spill');

/** How often the keys occur of which one record is emitted. */
const choices: { readonly [Name in Emission]?: Choice } = {
  unique: { least: 1, most: 1 },
  repeated: { least: 2, most: Number.POSITIVE_INFINITY },
};

function refuse(option: string, why: string): never {
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given with ${SPILL}, ${why}`, {
    option,
    remedy: phrase`leave ${optionName(option)} or ${SPILL} out`,
  });
}

/**
 * Refuses what a run that spills cannot do.
 * @throws FirstseenError E_USAGE or E_MEMORY
 */
export function checkSpill({
  detector = {},
  state,
  isReadOnly,
  isFollowing,
  onElements,
  secretFile,
}: RunOptions): void {
  const { algorithm, fingerprint, window, refresh, witness, parameters } = detector;
  if (algorithm !== 'exact') {
    const problem = phrase`${SPILL} was given, but only ${optionName('algorithm')} exact can keep elements on disk`;
    throw new FirstseenError('E_USAGE', problem, {
      option: 'spill',
      remedy: phrase`give ${optionName('algorithm')} exact, or leave ${SPILL} out`,
    });
  }
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
}

/**
 * Refuses what only a run that spills can do.
 * @throws FirstseenError E_USAGE
 */
export function checkNoSpill({ emit, keep = runDefaults.keep, count = runDefaults.count }: RunOptions): void {
  const asked = [
    ['emit', emit, emit !== undefined && emit in choices],
    ['keep', keep, keep !== runDefaults.keep],
    ['count', '', count],
  ] as const;
  const [found] = asked.filter(([, , isAsked]) => isAsked);
  if (found === undefined) return;
  const [option, given] = found;
  const problem = phrase`${optionName(option)}${given === '' ? '' : ` ${given}`} was given, but only a run with ${SPILL} knows the whole input`;
  throw new FirstseenError('E_USAGE', problem, {
    option,
    remedy: phrase`give ${optionName('algorithm')} exact and ${SPILL} with a folder`,
  });
}

/** The settings of the memory. Its cells are not a table of the family, so the family's parameters say nothing. */
function settingsOf(detector: PlannedOptions): DetectorSettings {
  const settings = planSettings({ ...detector, witness: false });
  if (settings.memoryBytes >= LEAST_SPILL_BYTES) return { ...settings, parameters: { values: {}, kernel: [] } };
  throw invalidOption({
    code: 'E_MEMORY',
    option: 'memory',
    given: settings.memoryBytes,
    givenText: formatBytes(settings.memoryBytes),
    expected: phrase`at least ${formatBytes(LEAST_SPILL_BYTES)} with ${SPILL}`,
  });
}

function begin(options: SpillOptions, detector: Detector, inputs: readonly InputNote[]): JobRun {
  const { folder, format, keep, emit, count: isCounting } = options;
  const kernel = kernelOf(detector);
  const memory = { offset: kernel.cellsOffset, bytes: kernel.cellsBytes };
  const choice = choices[emit];
  const needs = { choice: choice !== undefined, counts: isCounting, ranks: keep.field !== undefined };
  const spill = new Spill(kernel, layOutSpill(memory, expectedKeys(inputs, format), needs), folder, {
    ...{ keep, choice, isCounting },
  });
  const counts = isCounting ? new BatchCounts() : undefined;
  const observe: JobRun['observe'] = (count) => {
    if (!spill.tell(count)) throw changedInput('an input');
    if (counts) spill.copyCounts(counts.first(count));
    return { taken: count };
  };
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
    observe,
    observeTimed: observe,
    ...(counts && { writer: (records) => countingWriter(emit, counts, records) }),
    advance: () => undefined,
    note: () => undefined,
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
      regionsEnd: ({ offset }) => offset,
      begin: (made, inputs) => begin(options, made, inputs),
    };
  },
};
