// What a saved state means for the run that is asked for: refused, gone on with, or only its detector kept.

import { stat } from 'node:fs/promises';
import { type DetectorOptions, type DetectorSettings, ownParameters, resolveSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { parseBytes } from '../memory.js';
import { type InputFile, isSameInput } from './inputs.js';
import type { RunOptions } from './options.js';
import { type SinkPosition, startPosition } from './sink.js';
import type { KeyNote, OutputNote, RunNote } from './statefile.js';

/** What was asked for and is otherwise in the state, a line each; what was not asked for is taken from the state. */
function differences(saved: DetectorSettings, asked: DetectorOptions): string[] {
  const found: string[] = [];
  const compare = (what: string, inState: unknown, given: unknown) => {
    if (given !== undefined && String(given) !== String(inState))
      found.push(`${what} is ${inState} there, not ${given}`);
  };
  compare('algorithm', saved.family.name, asked.algorithm);
  compare('memory', saved.memoryBytes, asked.memory === undefined ? undefined : parseBytes(asked.memory));
  compare('layout', saved.layout, asked.layout);
  compare('seed', saved.seed, asked.seed);
  compare('fingerprint', saved.fingerprint, asked.fingerprint);
  if (found.length > 0) return found;
  for (const [letter, value] of Object.entries(askedParameters(saved, asked))) {
    compare(`parameter ${letter}`, saved.parameters.values[letter], value);
  }
  return found;
}

/** Parameters given outright; where a rate or gaps are given, all that follow from them. */
function askedParameters(saved: DetectorSettings, asked: DetectorOptions) {
  const resolved = resolveSettings({
    ...asked,
    algorithm: saved.family.name,
    memory: saved.memoryBytes,
    layout: saved.layout,
  });
  const isPlanned = asked.fpr !== undefined || asked.gapsElements !== undefined;
  return isPlanned ? ownParameters(resolved) : (asked.parameters ?? {});
}

/** @throws FirstseenError E_STATE_DIFFERS naming every difference. */
export function checkSameSettings(
  path: string,
  saved: { settings: DetectorSettings; key: KeyNote },
  asked: { detector: DetectorOptions; key: KeyNote },
): void {
  const found = differences(saved.settings, asked.detector);
  const wordsOf = ({ format, keys }: KeyNote) => `${format} by ${keys.length > 0 ? keys.join(', ') : 'whole records'}`;
  if (wordsOf(saved.key) !== wordsOf(asked.key)) {
    found.push(`records are ${wordsOf(saved.key)} there, not ${wordsOf(asked.key)}`);
  }
  if (found.length === 0) return;
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    `state ${path} was saved with other settings: ${found.join('; ')}; ask for the same, or name another state`,
  );
}

export interface RunRequest {
  options: RunOptions;
  inputs: readonly InputFile[];
  outputs: readonly OutputNote[];
}

async function isSameRun(known: RunNote, { options, inputs, outputs }: RunRequest): Promise<boolean> {
  if (known.emit !== options.emit || JSON.stringify(known.outputs) !== JSON.stringify(outputs)) return false;
  if (known.inputs.length !== inputs.length) return false;
  for (const [i, input] of inputs.entries()) {
    const before = known.inputs[i];
    if (!before || !(await isSameInput(before, input))) return false;
  }
  return true;
}

function shownRun({ inputs, outputs }: Pick<RunNote, 'inputs' | 'outputs'>): string {
  const names = (paths: (string | null)[]) => paths.map((path) => path ?? 'standard output').join(', ');
  return `from ${names(inputs.map(({ path }) => path))} to ${names(outputs.map(({ path }) => path))}`;
}

/**
 * The run to go on with, or undefined to start anew with the kept detector.
 * @throws FirstseenError E_STATE_RUN when the state holds an unfinished run of something else.
 */
export async function runToResume(path: string, known: RunNote, request: RunRequest): Promise<RunNote | undefined> {
  if (request.options.isNewRun) return undefined;
  if (await isSameRun(known, request)) {
    // A finished run over what cannot be read again has nothing left to go on with.
    return known.isFinished && !known.inputs.every(({ isFile }) => isFile) ? undefined : known;
  }
  if (known.isFinished) return undefined;
  throw new FirstseenError(
    'E_STATE_RUN',
    `state ${path} holds an unfinished run ${shownRun(known)}, and this one is ${shownRun({ inputs: [...request.inputs], outputs: [...request.outputs] })}; ` +
      'run the same command again to finish it, or give --new-run to keep only its detector',
  );
}

/**
 * Where an output goes on.
 * @throws FirstseenError E_OUTPUT when an unfinished run's output no longer holds what was written to it.
 */
export async function positionToResume(
  output: OutputNote,
  known: SinkPosition,
  isFinished: boolean,
): Promise<SinkPosition> {
  if (output.path === null) return { ...startPosition, owesNewline: known.owesNewline };
  const bytes = await stat(output.path).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes >= known.fileBytes) return known;
  // The output of a finished run may have been taken away; what is new then begins a file of its own.
  if (isFinished) return startPosition;
  throw new FirstseenError(
    'E_OUTPUT',
    `${output.path} has ${bytes} bytes, but the run to go on with had written ${known.fileBytes}; ` +
      'restore it, or give --new-run to keep only the detector',
  );
}
