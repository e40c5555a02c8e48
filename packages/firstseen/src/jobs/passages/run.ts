// A run over files that finds passages of texts that were seen before.

import { checkOptions, type OptionNames } from '../../base/check.js';
import { FirstseenError } from '../../base/errors.js';
import { guessFormat } from '../../io/formats.js';
import { STANDARD_STREAM } from '../../io/system/paths.js';
import { checkKinds } from '../../options/kinds.js';
import { optionNamesOf, sharedRowsOf } from '../../options/names.js';
import { runJob } from '../../run/runjob.js';
import { fillDefaults } from '../../run/settled.js';
import type { RunStats } from '../../run/stats.js';
import { type PassageJobOptions, passagesJob } from './job.js';
import type { PassageCounts } from './observer.js';
import type { PassageOptions, PassageRunStats, PassageStats } from './options.js';
import { type PassageSettings, settlePassages } from './settings.js';

const passageOptionNames: OptionNames<PassageOptions> = optionNamesOf('passages', 'detector');

/** @throws FirstseenError E_USAGE for an input whose name is that of another format. */
function checkFormats(inputs: readonly string[]): void {
  for (const input of inputs) {
    const format = input === STANDARD_STREAM ? 'ndjson' : guessFormat(input);
    if (format === 'ndjson' || format === 'lines') continue;
    throw new FirstseenError(
      'E_USAGE',
      `passages are found in records of NDJSON, but ${input} is of format ${format}`,
      {
        ...{ option: 'inputs', given: input },
        remedy: 'convert it to NDJSON, one JSON object a line',
      },
    );
  }
}

function passageStats({ by, ngram }: PassageSettings, counts: PassageCounts): PassageRunStats {
  return { by, ngram: by === 'ngram' ? ngram : null, ...counts };
}

/**
 * Finds the passages of the texts of the inputs that were seen before, and writes what `emit` says.
 * @throws FirstseenError as a run over records does.
 */
export async function runPassages(options: PassageOptions): Promise<PassageStats> {
  checkOptions(options, passageOptionNames, 'E_USAGE');
  checkKinds(sharedRowsOf('passages'), { ...options });
  const settings = settlePassages(options);
  const settled = fillDefaults({ ...options, emit: settings.emit });
  checkFormats(options.inputs);
  const { maxRecordBytes, missingKey } = settled.records;
  const { isReadOnly, state } = settled.state;
  let counts: PassageCounts | undefined;
  const asked: PassageJobOptions = {
    ...{ settings, maxRecordBytes, missingKey, state, isReadOnly, onWarning: options.onWarning },
    // The elements are not keys of records, by which the witness is read.
    detector: { ...options.detector, witness: false },
    onBegin: (begun) => {
      counts = begun;
    },
  };
  // `load` is a getter that scans the table, so the object must not be copied.
  const withPassages = (stats: RunStats): PassageStats =>
    Object.assign(stats, { passages: passageStats(settings, counts as PassageCounts) });
  const stats = await runJob({
    job: passagesJob,
    asked,
    options: settled,
    format: 'ndjson',
    keys: [settings.textKey],
    onFailure: (failed) => options.onFailure?.(withPassages(failed)),
  });
  return withPassages(stats);
}
