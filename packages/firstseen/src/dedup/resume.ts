// What a saved state means for the run that is asked for: refused, gone on with, or only its detector kept.

import { stat } from 'node:fs/promises';
import { checkBytes } from '../check.js';
import { formatCounted } from '../count.js';
import { type DetectorSettings, ownParameters, resolveSettings } from '../detectors/settings.js';
import { resolveWitnessBytes } from '../detectors/witness.js';
import { FirstseenError } from '../errors.js';
import { RANDOM_SECRET, Secret } from '../fingerprint/secret.js';
import { U64_RECORD_BYTES } from '../kernel/abi.js';
import { isAuto, type PlannedOptions, planSettings } from '../plan/auto.js';
import type { FormatName } from '../records/formats.js';
import type { InputNote } from './inputs.js';
import type { InputSource, JobNote } from './job.js';
import type { KeyNote, OutputNote, RunNote } from './note.js';
import type { RunOptions } from './options.js';
import { type SinkPosition, startPosition } from './sink.js';

/**
 * What was asked for and is otherwise in the state, a line each; what was not asked for is taken from the state. An algorithm
 * that is not named now may have been when the state was made, so what it makes of the same wishes will do as well.
 */
function differences(saved: DetectorSettings, asked: PlannedOptions): string[] {
  if (asked.algorithm !== undefined) return differencesTo(saved, asPlanned(asked));
  const named = differencesTo(saved, asked);
  if (named.length === 0) return named;
  const planned = differencesTo(saved, asPlanned(asked));
  return planned.length < named.length ? planned : named;
}

function differencesTo(saved: DetectorSettings, asked: PlannedOptions): string[] {
  const found: string[] = [];
  const compare = (what: string, inState: unknown, given: unknown) => {
    if (given !== undefined && String(given) !== String(inState))
      found.push(`${what} is ${inState} there, not ${given}`);
  };
  compare('algorithm', saved.family.name, asked.algorithm);
  compare('memory', saved.memoryBytes, asked.memory === undefined ? undefined : checkBytes('memory', asked.memory));
  compare('layout', saved.layout, asked.layout);
  compare('seed', saved.seed, asked.seed);
  compare('fingerprint', saved.fingerprint, asked.fingerprint);
  found.push(...secretDifferences(saved.secret, asked.secret));
  if (typeof asked.witness === 'object') {
    compare('memory of the witness', saved.witnessBytes, resolveWitnessBytes(asked.witness));
  }
  if (found.length > 0) return found;
  for (const [letter, value] of Object.entries(askedParameters(saved, asked))) {
    compare(`parameter ${letter}`, saved.parameters.values[letter], value);
  }
  return found;
}

/** Says that secrets differ, never what they are. A random one that was asked for is the one in the state. */
function secretDifferences(saved: Secret | undefined, asked: PlannedOptions['secret']): string[] {
  if (asked === undefined) return [];
  if (!saved) return ['it is not keyed there'];
  return asked === RANDOM_SECRET || saved.equals(new Secret(asked)) ? [] : ['the secret is another one there'];
}

/** What is asked of `auto` is what it plans; asked for by name alone, it leaves everything to the state. */
function asPlanned(asked: PlannedOptions): PlannedOptions {
  const { algorithm: _auto, fpr, gapsElements, distinctElements, lengthElements, window, refresh, ...rest } = asked;
  if (!isAuto(asked)) return asked;
  const hints = [fpr, gapsElements, distinctElements, lengthElements, window, refresh];
  if (hints.every((hint) => hint === undefined)) return rest;
  const planned = planSettings(asked);
  const { family, memoryBytes: memory, layout } = planned;
  return { ...rest, algorithm: family.name, memory, layout, parameters: ownParameters(planned) };
}

/** Parameters given outright; where a rate, gaps or a window are given, all that follow from them but words, which do not. */
function askedParameters(saved: DetectorSettings, asked: PlannedOptions) {
  // How a key becomes 64 bits has no part in them, and a fingerprint alone may lack the secret that is in the state. What is
  // expected of a stream is for `auto` alone.
  const { fingerprint: _fingerprint, secret: _secret, distinctElements: _d, lengthElements: _l, ...rest } = asked;
  const { values } = resolveSettings({
    ...rest,
    algorithm: saved.family.name,
    memory: saved.memoryBytes,
    layout: saved.layout,
  }).parameters;
  const isPlanned = [asked.fpr, asked.gapsElements, asked.window].some((value) => value !== undefined);
  const following = saved.family.parameters.filter(({ words, derived }) => isPlanned && !words && !derived);
  const letters = [...following.map(({ letter }) => letter), ...Object.keys(asked.parameters ?? {})];
  return Object.fromEntries(
    [...letters, ...(asked.refresh === undefined ? [] : ['refresh'])].map((letter) => [letter, values[letter]]),
  );
}

function otherJob(job: JobNote | undefined): string {
  return job ? `it is one of firstseen ${job.name}` : 'it is one of exact duplicates, of the command without a name';
}

/** @throws FirstseenError E_STATE_DIFFERS naming every difference. */
export function checkSameSettings(
  path: string,
  saved: { settings: DetectorSettings; key: KeyNote; job?: JobNote | undefined },
  asked: { detector: PlannedOptions; key: KeyNote; jobName?: string | undefined },
): void {
  const found = saved.job?.name === asked.jobName ? differences(saved.settings, asked.detector) : [otherJob(saved.job)];
  const wordsOf = ({ format, keys, time }: KeyNote) =>
    `${format} by ${keys.length > 0 ? keys.join(', ') : 'whole records'}${time === undefined ? '' : ` at ${time}`}`;
  if (wordsOf(saved.key) !== wordsOf(asked.key)) {
    found.push(`records are ${wordsOf(saved.key)} there, not ${wordsOf(asked.key)}`);
  }
  if (found.length === 0) return;
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    `state ${path} was saved with other settings: ${found.join('; ')}; ask for the same, or name another state`,
  );
}

const NEWLINE = 0x0a;

export interface RunRequest {
  options: RunOptions;
  format: FormatName;
  inputs: readonly InputNote[];
  outputs: readonly OutputNote[];
  source: InputSource;
}

/** Whether a run can go on where it is with an input as it is now. */
async function isUnchanged(known: RunNote, index: number, now: InputNote, source: InputSource): Promise<boolean> {
  const before = known.inputs[index];
  if (!before || !(await source.isSame(before, now))) return false;
  // Only the input at hand is read on; what came to those before it would be passed over.
  return index >= known.input || now.storedBytes === before.storedBytes;
}

async function isSameRun(known: RunNote, { options, inputs, outputs, source }: RunRequest): Promise<boolean> {
  if (known.emit !== options.emit || JSON.stringify(known.outputs) !== JSON.stringify(outputs)) return false;
  if (known.inputs.length !== inputs.length) return false;
  for (const [i, input] of inputs.entries()) {
    if (!(await isUnchanged(known, i, input, source))) return false;
  }
  return true;
}

/** The last byte taken of an input and the one that follows it, as far as they are there. */
async function bytesAround(path: string, offset: number, source: InputSource): Promise<Uint8Array> {
  const reader = await source.open(path, { isBinary: false, offset: offset - 1 });
  const bytes = new Uint8Array(2);
  try {
    let filled = 0;
    for (let read = 1; read > 0 && filled < bytes.length; filled += read) {
      read = await reader.read(bytes.subarray(filled));
    }
    return bytes.subarray(0, filled);
  } finally {
    await reader.close();
  }
}

/** What an input that has grown lacked at its end, so that its last record was only the beginning of one. */
async function lackedAtEnd(
  now: InputNote,
  offset: number,
  { format, source }: RunRequest,
): Promise<string | undefined> {
  if (format === 'u64') return offset % U64_RECORD_BYTES === 0 ? undefined : 'bytes of the integer';
  const [last, next] = await bytesAround(now.path, offset, source);
  return last === NEWLINE || next === undefined ? undefined : 'newline';
}

/** @throws FirstseenError E_STATE_RUN when a finished run took the beginning of a record for a whole one. */
async function checkWholeRecords(path: string, known: RunNote, request: RunRequest): Promise<void> {
  const before = known.inputs[known.input];
  const now = request.inputs[known.input];
  if (!before || !now?.isFile || known.offset === 0 || now.storedBytes === before.storedBytes) return;
  const lacked = await lackedAtEnd(now, known.offset, request);
  if (lacked === undefined) return;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${now.path} has grown, but it had no ${lacked} at its end when state ${path} was saved, so that its last record was ` +
      'taken before it was whole; give --new-run and another output to read the file again',
  );
}

function shownRun({ inputs, outputs }: Pick<RunNote, 'inputs' | 'outputs'>): string {
  const names = (paths: (string | null)[]) => paths.map((path) => path ?? 'standard output').join(', ');
  return `from ${names(inputs.map(({ path }) => path))} to ${names(outputs.map(({ path }) => path))}`;
}

/** Names the inputs that are not what they were, where the names alone do not show the difference. */
async function changedInputs(known: RunNote, request: RunRequest): Promise<string> {
  const changed: string[] = [];
  for (const [i, input] of request.inputs.entries()) {
    const hasSameName = known.inputs[i]?.path === input.path;
    if (hasSameName && !(await isUnchanged(known, i, input, request.source))) changed.push(input.path);
  }
  return changed.length > 0 ? `, but ${changed.join(', ')} has changed since` : '';
}

/**
 * The run to go on with, or undefined to start anew with the kept detector.
 * @throws FirstseenError E_STATE_RUN when the state holds an unfinished run of something else, or a finished one whose
 * input was not whole.
 */
export async function runToResume(path: string, known: RunNote, request: RunRequest): Promise<RunNote | undefined> {
  if (request.options.isNewRun) return undefined;
  if (await isSameRun(known, request)) {
    if (known.isFinished) await checkWholeRecords(path, known, request);
    // A finished run over what cannot be read again has nothing left to go on with.
    return known.isFinished && !known.inputs.every(({ isFile }) => isFile) ? undefined : known;
  }
  if (known.isFinished) return undefined;
  throw new FirstseenError(
    'E_STATE_RUN',
    `state ${path} holds an unfinished run ${shownRun(known)}, and this one is ${shownRun({ inputs: [...request.inputs], outputs: [...request.outputs] })}` +
      `${await changedInputs(known, request)}; ` +
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
    `${output.path} has ${formatCounted(bytes, 'byte')}, but the run to go on with had written ${known.fileBytes}; ` +
      'restore it, or give --new-run to keep only the detector',
  );
}
