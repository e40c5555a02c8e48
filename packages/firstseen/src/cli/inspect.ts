// `firstseen inspect STATE`: shows the contents of a state file.

import type { Command } from 'commander';
import { formatCount, formatCounted } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import { describeState, type StateDescription } from '../checkpoint/describe.js';
import { sketchFamily } from '../detectors/registry.js';
import { NEAR } from '../near/note.js';
import { equalityText } from '../records/equality.js';
import { snakeCase } from './json.js';
import { writeOutput } from './streams.js';
import { shortenedRow, unstoredRow, witnessRows } from './summary.js';
import { alignRows, formatFingerprint, formatParameters, formatValue, partitionsRow } from './text.js';

type Row = readonly [string, string];

function runRows({ run }: StateDescription): Row[] {
  if (run === null) return [];
  const inputs = run.inputs.map(({ path }) => path);
  const position = `input ${run.input + 1} of ${inputs.length}, ${formatCounted(run.offset, 'byte')} read`;
  const { records, distinct, duplicates } = run.counts;
  return [
    ['run', run.isFinished ? 'finished' : `unfinished: ${position}`],
    ['inputs', inputs.join(', ')],
    ['outputs', run.outputs.map(({ path }) => path ?? 'standard output').join(', ')],
    [
      'counts',
      `${formatCounted(records, 'record')}, ${formatCount(distinct)} distinct, ${formatCounted(duplicates, 'duplicate')}`,
    ],
  ];
}

function jobRows({ job }: StateDescription): Row[] {
  if (job === null) return [];
  const { name, settings, observed, duplicates } = job;
  return [
    ['job', `${name}: ${formatParameters(settings)}`],
    ['documents', `${formatCount(observed)}, ${formatCounted(duplicates, 'duplicate')}, over all runs`],
  ];
}

/** The dialect, as far as it is not that of the format by default. */
function dialectRows(key: NonNullable<StateDescription['key']>): Row[] {
  return (['delimiter', 'quote', 'escape'] as const).flatMap((name): Row[] => {
    const value = key[name];
    return value === undefined ? [] : [[name, value]];
  });
}

function keyRows({ key }: StateDescription): Row[] {
  if (key === null) return [];
  return [
    ['format', key.format],
    ...dialectRows(key),
    ['key', key.keys.length > 0 ? key.keys.join(', ') : 'the whole record'],
    ...(key.equality ? [['equal keys', equalityText(key.equality)] as const] : []),
  ];
}

function noteRows({ noteBytes }: StateDescription): Row[] {
  return noteBytes === undefined ? [] : [['note', `${formatCounted(noteBytes, 'byte')} of a program`]];
}

/**
 * Names the unit that the detector of a state has observed: documents that have sketches, the bands of others, or
 * elements.
 */
function observedUnit({ algorithm, job }: StateDescription): string {
  if (job?.name !== NEAR) return 'element';
  return algorithm === sketchFamily.name ? 'document' : 'band';
}

/** A state as text, one fact per line. */
function descriptionText(state: StateDescription): string {
  const rows: Row[] = [
    ['algorithm', `${state.algorithm} (${state.layout})`],
    ['parameters', formatParameters(state.parameters)],
    ['fingerprint', formatFingerprint(state)],
    ['memory', formatBytes(state.memoryBytes)],
    [
      'observed',
      `${formatCounted(state.observed, observedUnit(state))}, ${formatCounted(state.duplicates, 'duplicate')}`,
    ],
    ...unstoredRow(state, observedUnit(state)),
    ...shortenedRow(state),
    ['load', formatValue(state.load)],
    ...partitionsRow(state.partitions),
    ...witnessRows(state.witness, state.observed),
    ...jobRows(state),
    ...keyRows(state),
    ...runRows(state),
    ...noteRows(state),
    ['file', `${formatCounted(state.fileBytes, 'byte')}, format version ${state.formatVersion}`],
  ];
  return `${alignRows(rows).join('\n')}\n`;
}

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('show the contents of a state file')
    .argument('<state>', 'file that --state wrote')
    .option('--json', 'print the contents as JSON')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const state = await describeState(path);
      await writeOutput(json ? `${JSON.stringify(snakeCase(state), null, 2)}\n` : descriptionText(state));
    });
}
