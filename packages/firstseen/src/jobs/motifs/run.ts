// A run of range motifs over files: reads records, writes answers, and counts.

import { checkOptions, type OptionNames } from '../../base/check.js';
import { type AllGiven, defined } from '../../base/defined.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { ByteSink } from '../../io/file/bytesink.js';
import { openBytes } from '../../io/file/sinks.js';
import { endedBy } from '../../io/sink.js';
import type { InputRequest } from '../../io/source.js';
import { requestOf, requestsOf } from '../../io/sources.js';
import { checkMemory, checkOpenFiles, explainNotGranted, processorsHere } from '../../io/system/limits.js';
import { MotifCentres } from '../../near/motifcentres.js';
import { type MotifErrors, MotifTally } from '../../near/motiferrors.js';
import type { MotifStats } from '../../near/motifs.js';
import {
  type MotifOptions,
  type MotifSettings,
  motifMemoryBytes,
  NO_SET,
  resolveMotifSettings,
} from '../../near/motifsettings.js';
import { motifEmit, motifFormat, motifThreads as motifThreadsOption } from '../../options/motifs.js';
import { optionNamesOf } from '../../options/names.js';
import { checkApart, checkNames, type FileUse, filesWritten } from '../../run/names.js';
import type { Threads } from '../../run/threads.js';
import { Labels } from './labels.js';
import { type AnsweredBatch, MotifPipeline } from './pipeline.js';
import { type MotifFormat, Records } from './records.js';
import { motifThreads } from './threads.js';

/**
 * The content of the output of a run. `assignments`: a line for each record, with its set (`-` for none) and its votes.
 * `distinct`: the records with fewer than t votes, unchanged, which is what approximate redundancy removal keeps.
 * `summary`: no records.
 */
export type MotifEmission = (typeof motifEmit.words)[number];

/** The options of a run of range motifs over files. `inputs` and `motifs` are mandatory. */
export interface MotifRunOptions {
  /** Paths, in order; `-` is standard input. */
  inputs: readonly string[];
  /** `binary` by default. */
  format?: MotifFormat | undefined;
  /** The options of the range motifs. */
  motifs: MotifOptions;
  /**
   * The number of threads at most. `auto`, the default: as many as processors, up to four, for files of 500,000 records or more with
   * 32 hashes, and otherwise one. The answers do not depend on it.
   */
  threads?: Threads | undefined;
  /** `summary` by default. */
  emit?: MotifEmission | undefined;
  /** Standard output by default. */
  output?: string | undefined;
  /** A file with a label for each record, from which error rates are computed. */
  labels?: string | undefined;
  /** Called with what is wrong but does not stop the run, such as too little memory in a control group. */
  onWarning?: ((warning: FirstseenError) => void) | undefined;
  /** Ends the run after the batches in flight. */
  signal?: AbortSignal | undefined;
  /** Called with the summary of a run that fails after its settings are resolved, before the error is thrown. */
  onFailure?: ((stats: MotifRunStats) => void) | undefined;
}

/** The names of the options of `runMotifs`. */
const motifRunOptionNames: OptionNames<MotifRunOptions> = optionNamesOf('motifs', 'motifs');

/** The default of every option that has one. */
const motifDefaults = { format: motifFormat.default, emit: motifEmit.default, threads: motifThreadsOption.default };

type FilledMotifOptions = MotifRunOptions & AllGiven<Pick<MotifRunOptions, 'format' | 'emit' | 'threads'>>;

/** The summary of a run of range motifs. */
export interface MotifRunStats extends MotifStats {
  /** Records with at least t votes. */
  recognized: number;
  /** Hexadecimal, in the order of the sizes. */
  centres: string[];
  /** Null without labels. */
  errors: MotifErrors | null;
  /** Everything that decided the answers. */
  settings: MotifSettings;
  /** Threads that the run used. */
  threads: number;
  /** Time that the run took. */
  seconds: number;
  /** Records of each second of the run. */
  recordsPerSecond: number;
  /** True if the run ended before its inputs did, because of a signal or because the reader of the output closed it. */
  interrupted: boolean;
  /** The code of the error that ended the run; null if it did not fail. */
  error: string | null;
}

/** The counts of a run. */
class Counts {
  records = 0;
  repeats = 0;
  recognized = 0;
  readonly sizes = new Float64Array(NO_SET + 1);
  readonly tally = new MotifTally();
  readonly #centres: MotifCentres;
  readonly settings: MotifSettings;

  constructor(settings: MotifSettings) {
    this.settings = settings;
    this.#centres = new MotifCentres(settings.recordBytes);
  }

  add(batch: AnsweredBatch, labels: readonly (string | null)[] | undefined): void {
    const { threshold } = this.settings;
    for (let i = 0; i < batch.count; i++) {
      const set = batch.sets[i] as number;
      this.sizes[set] = (this.sizes[set] as number) + 1;
      if ((batch.votes[i] as number) >= threshold) this.recognized++;
      if (set !== NO_SET) this.#centres.add(set, batch.records, i);
      if (labels) this.tally.add(labels[i] as string | null, set);
    }
    this.records += batch.count;
    this.repeats += batch.repeats;
  }

  stats(): Omit<MotifRunStats, 'errors' | 'threads' | 'seconds' | 'recordsPerSecond' | 'interrupted' | 'error'> {
    // Every open set contains the record that opened it.
    const openSets = this.sizes.subarray(0, NO_SET).findLastIndex((size) => size > 0) + 1;
    const centreOf = (set: number) => Buffer.from(this.#centres.centre(set)).toString('hex');
    return {
      records: this.records,
      repeats: this.repeats,
      recognized: this.recognized,
      leftOut: this.sizes[NO_SET] as number,
      sizes: [...this.sizes.subarray(0, openSets)],
      centres: Array.from({ length: openSets }, (_, set) => centreOf(set)),
      memoryBytes: motifMemoryBytes(this.settings),
      settings: this.settings,
    };
  }
}

function assignmentLines({ count, sets, votes }: AnsweredBatch): Uint8Array {
  const lines: string[] = [];
  for (let i = 0; i < count; i++) lines.push(`${sets[i] === NO_SET ? '-' : sets[i]}\t${votes[i]}\n`);
  return Buffer.from(lines.join(''), 'latin1');
}

/** The records with too few votes, in the format of the input. */
function distinctRecords(
  batch: AnsweredBatch,
  { recordBytes, threshold }: MotifSettings,
  format: MotifFormat,
): Uint8Array {
  const distinctParts: Uint8Array[] = [];
  for (let i = 0; i < batch.count; i++) {
    if ((batch.votes[i] as number) >= threshold) continue;
    const record = batch.records.subarray(i * recordBytes, (i + 1) * recordBytes);
    distinctParts.push(format === 'hex' ? Buffer.from(`${Buffer.from(record).toString('hex')}\n`) : record);
  }
  return Buffer.concat(distinctParts);
}

interface MotifRunParts {
  pipeline: MotifPipeline;
  records: Records;
  labels: Labels | undefined;
  counts: Counts;
  sink: ByteSink | undefined;
}

/** Takes all records through the pipeline, and passes the answers to the counts and the output. */
async function takeRecords(
  { emit, format, signal }: FilledMotifOptions,
  { pipeline, records, labels, counts, sink }: MotifRunParts,
): Promise<void> {
  const { settings } = counts;
  for await (const batch of pipeline.batches((target) => records.fill(target))) {
    counts.add(batch, await labels?.take(batch.count));
    if (emit === 'assignments') await sink?.write(assignmentLines(batch));
    if (emit === 'distinct') await sink?.write(distinctRecords(batch, settings, format));
  }
  if (!signal?.aborted) await labels?.end();
}

/** The arrays are as large as these options make them; their memory has no option. */
const FEWER = phrase`give fewer ${optionName('hashes')} or ${optionName('addressBits')}`;

/** @throws FirstseenError as `MotifPipeline.open`, with what to do about too much memory. */
async function openPipeline(settings: MotifSettings, threads: number, onWarning: MotifRunOptions['onWarning']) {
  checkOpenFiles();
  checkMemory({ detectorBytes: motifMemoryBytes(settings), taker: 'the arrays take', remedy: FEWER, onWarning });
  try {
    return await MotifPipeline.open(settings, threads);
  } catch (error) {
    if (!(error instanceof FirstseenError) || error.code !== 'E_MEMORY') throw error;
    const { code, problem, details } = error.data;
    const explainedError = new FirstseenError(code, problem, {
      ...details,
      remedy: FEWER,
      ...defined({ cause: error.cause }),
    });
    throw explainNotGranted(explainedError);
  }
}

/** Opens the threads and the output, processes all records, and closes everything even after an error. */
async function assignRecords(
  options: FilledMotifOptions,
  threads: number,
  parts: Omit<MotifRunParts, 'pipeline' | 'sink'>,
): Promise<void> {
  const { output: path, emit, signal } = options;
  const pipeline = await openPipeline(parts.counts.settings, threads, options.onWarning);
  let sink: ByteSink | undefined;
  let isWhole = false;
  try {
    if (emit !== 'summary') {
      sink = await openBytes(path ?? null);
    }
    await takeRecords(options, { ...parts, pipeline, sink });
    isWhole = !signal?.aborted;
  } finally {
    parts.labels?.close();
    await Promise.all([parts.records.close(), pipeline.close(), sink?.close(isWhole)]);
  }
}

/** @throws FirstseenError E_USAGE when the output or the labels have no name, or the output is also read. */
function checkFiles({ labels, output }: MotifRunOptions, inputs: readonly InputRequest[]): void {
  checkNames({ labels, output });
  const read = inputs.map((input): FileUse => [input, 'an input']);
  if (labels !== undefined) read.push([requestOf(labels), 'the labels']);
  checkApart(read, filesWritten({ output }));
}

/**
 * Assigns the records of files to sets.
 * @throws FirstseenError E_PARAMETER and E_MEMORY as `RangeMotifs.create`; E_USAGE when the output is also read or `threads` is not a
 * number of threads; E_THREAD when a thread has ended; E_INPUT when an input cannot be read or the numbers of labels and records
 * differ; E_RECORD when an input ends inside a record; E_OUTPUT when the output cannot be written; OutputClosed when the reader of
 * the output has closed it.
 */
export async function runMotifs(motifOptions: MotifRunOptions): Promise<MotifRunStats> {
  checkOptions(motifOptions, motifRunOptionNames, 'E_USAGE');
  const options: FilledMotifOptions = { ...motifOptions, ...motifDefaults, ...defined(motifOptions) };
  const settings = resolveMotifSettings(options.motifs);
  const { format, signal } = options;
  const inputs = await requestsOf(options.inputs);
  checkFiles(options, inputs);
  const processors = processorsHere();
  const threads = await motifThreads({ threads: options.threads, inputs, format, settings, processors });
  const records = new Records({ inputs, format, recordBytes: settings.recordBytes, signal });
  const labels = options.labels === undefined ? undefined : new Labels(options.labels);
  const counts = new Counts(settings);
  const startedMilliseconds = performance.now();
  const stats = (end: Pick<MotifRunStats, 'interrupted' | 'error'>): MotifRunStats => {
    const seconds = (performance.now() - startedMilliseconds) / 1000;
    const errors = labels ? counts.tally.errors() : null;
    return { ...counts.stats(), errors, threads, seconds, recordsPerSecond: counts.records / seconds, ...end };
  };
  try {
    await assignRecords(options, threads, { records, labels, counts });
  } catch (error) {
    options.onFailure?.(stats(endedBy(error)));
    throw error;
  }
  return stats({ interrupted: signal?.aborted ?? false, error: null });
}
