// The map phase: finds the key of each record and writes it as an element, with its partition and its position in all inputs.

import { optionName, phrase } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import type { RunCounts } from '../framing/counts.js';
import { recordBytes } from '../framing/joined.js';
import { commonFormat } from '../io/formats.js';
import { type RecordBatch, type RecordWriter, UnwritableRecord } from '../io/sink.js';
import type { InputRequest } from '../io/source.js';
import { lookAtInput, requestOf } from '../io/sources.js';
import { DISTINCT } from '../kernel/abi.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';
import type { PlannedOptions } from '../plan/auto.js';
import { decisions, recordClasses } from '../records/classes.js';
import { tableAs } from '../records/dialect.js';
import { equalityOf, fieldsOf } from '../records/equality.js';
import { type FormatName, recordFormatOf, recordFormats } from '../records/formats.js';
import { keyRulesOf } from '../records/policies.js';
import type { Job } from '../run/job.js';
import { runJob } from '../run/runjob.js';
import { type RunOptions, runDefaults } from '../run/runoptions.js';
import { fillDefaults } from '../run/settled.js';
import { type Environment, isHadoopTask, type TaskStart, taskStart } from './task.js';
import { checkLineFormat, checkTimes, refuse, settingsOfPartition, sharedSettings } from './taskdetector.js';
import { NEWLINE, WireWriter } from './wire.js';

export interface MapOptions extends Omit<RunOptions, 'inputs'> {
  /** A path, or `-` for standard input. */
  input: string;
  /** A file that lists all inputs in their order. */
  inputOrder?: string;
  environment: Environment;
}

interface MapAsked {
  detector: PlannedOptions;
  start: TaskStart;
  /** True if the lines go to Hadoop, which also ends a line at a carriage return. */
  isOnHadoop: boolean;
}

const CARRIAGE_RETURN = 0x0d;

/** Tells if a record has one of the bytes at which the engine ends a line before its own newline. */
function isDivided(record: Buffer, isOnHadoop: boolean): boolean {
  const newline = record.indexOf(NEWLINE);
  return (newline !== -1 && newline < record.length - 1) || (isOnHadoop && record.includes(CARRIAGE_RETURN));
}

/** @throws UnwritableRecord when a record would be more than one line. */
function checkLines(kernel: Kernel, count: number, isOnHadoop: boolean): void {
  for (let i = 0; i < count; i++) {
    const { buffer, byteOffset, length } = recordBytes(kernel, i);
    if (!isDivided(Buffer.from(buffer, byteOffset, length), isOnHadoop)) continue;
    const [what, which] = isOnHadoop
      ? ['a newline or a carriage return', 'carriage returns of the input, and the newlines in its records']
      : ['a newline', 'newlines in the records of the input'];
    throw new UnwritableRecord(i, `the record has ${what} in it, where the engine ends a line`, `remove the ${which}`);
  }
}

/** Writes the elements of batches, in order. */
class ElementWriter implements RecordWriter {
  readonly #kernel: Kernel;
  readonly #file: number;
  readonly #format: FormatName;
  readonly #isOnHadoop: boolean;
  readonly #hasTimes: boolean;
  readonly #partitionCount: number;
  readonly #halves: Uint32Array;
  #offset: number;

  constructor(detector: Detector, { start, isOnHadoop }: Omit<MapAsked, 'detector'>, format: FormatName) {
    const kernel = kernelOf(detector);
    const { settings } = detector;
    this.#kernel = kernel;
    this.#file = start.file;
    this.#offset = start.offset;
    this.#isOnHadoop = isOnHadoop;
    this.#hasTimes = settings.parameters.isTimed === true;
    this.#format = format;
    this.#partitionCount = settings.partitions?.count ?? 1;
    const { buffer, byteOffset, length } = kernel.fingerprints;
    this.#halves = new Uint32Array(buffer, byteOffset, 2 * length);
  }

  checkHeader(): void {}

  header(): Uint8Array {
    return new Uint8Array(0);
  }

  records({ taken: count }: RecordBatch): Uint8Array {
    const kernel = this.#kernel;
    const first = kernel.recordStarts[0] as number;
    const bytes = bytesBetween(kernel, first, kernel.recordEnds[count - 1] as number);
    const isOnHadoop = this.#isOnHadoop;
    if (this.#format === 'csv' || (isOnHadoop && bytes.includes(CARRIAGE_RETURN))) {
      checkLines(kernel, count, isOnHadoop);
    }
    const partitions = this.#partitions(count);
    const writer = new WireWriter(count, bytes.length, this.#hasTimes);
    let keyedCount = 0;
    for (let i = 0; i < count; i++) {
      const verdict = kernel.verdicts[i] as number;
      const isKeyed = kernel.recordClasses[i] === recordClasses.KEYED.code;
      const at = isKeyed ? keyedCount++ : 0;
      if (verdict === decisions.DROPPED || verdict === decisions.SKIPPED) continue;
      const offset = this.#offset + (kernel.recordStarts[i] as number) - first;
      writer.place(isKeyed ? (partitions[at] as number) : offset % this.#partitionCount, this.#file, offset);
      if (isKeyed) {
        const [low, high] = [this.#halves[2 * at] as number, this.#halves[2 * at + 1] as number];
        writer.fingerprint(high, low, kernel.times[at] as number);
      } else {
        writer.noFingerprint();
      }
      writer.record(recordBytes(kernel, i));
    }
    this.#offset += bytes.length;
    return writer.written();
  }

  /** The partitions of the fingerprints of a batch. */
  #partitions(count: number): Uint16Array {
    if (this.#partitionCount === 1) return new Uint16Array(count);
    const { exports, bytes, fingerprints } = this.#kernel;
    return new Uint16Array(bytes.buffer, exports.partitionsFind(fingerprints.byteOffset, count) >>> 0, count);
  }
}

/** A job that observes nothing: every record goes to the output as an element. */
function mapJob(format: FormatName, timeKey: RunOptions['timeKey']): Job<MapAsked> {
  return {
    name: 'map',
    takes: 'fingerprints',
    comparesKeys: true,
    emissions: ['distinct'],
    resolve({ detector: askedDetector, ...task }, { secret }) {
      const detector = secret === undefined ? askedDetector : { ...askedDetector, secret };
      return {
        detector,
        settings: () => {
          const settings = sharedSettings(detector);
          checkTimes(settings, timeKey);
          return settingsOfPartition(settings, 0);
        },
        begin(observer) {
          return {
            observe(count) {
              kernelOf(observer).verdicts.fill(DISTINCT, 0, count);
              return { taken: count };
            },
            writer: () => new ElementWriter(observer, task, format),
          };
        },
      };
    },
  };
}

/** @throws FirstseenError E_USAGE for what the lines of elements cannot carry. */
function checkRecords(format: FormatName, { hasHeader = runDefaults.hasHeader, onError }: MapOptions): void {
  if (recordFormats[format].keys === 'columns' && hasHeader) {
    refuse(
      'hasHeader',
      'a part of a file has no header',
      phrase`give ${optionName('hasHeader')}, and name columns by their numbers`,
    );
  }
  if (onError === 'pass') refuse('onError', 'an invalid record is not an element', 'choose fail or drop');
}

/** The input, with the name of the file of the task if that comes through standard input, so that errors name the file. */
async function namedInput(input: InputRequest, format: FormatName, { source: name }: TaskStart): Promise<InputRequest> {
  return name === undefined ? input : requestOf({ ...(await lookAtInput(input, format)), name, path: name });
}

/**
 * Writes the records of an input as elements to the output.
 * @throws FirstseenError for every failure of a run; E_RECORD for a record that would be more than one line.
 */
export async function runMap(options: MapOptions): Promise<RunCounts> {
  const {
    input: name,
    inputOrder,
    environment,
    keys = runDefaults.keys,
    format: namedFormat,
    detector = {},
    ...otherOptions
  } = options;
  const input = requestOf(name);
  const equality = equalityOf(options, 'E_USAGE');
  const table = tableAs(namedFormat ?? commonFormat([input]), options);
  const format = recordFormatOf(table.format, fieldsOf(keys, equality));
  checkLineFormat(table.format);
  checkRecords(format, options);
  const start = await taskStart(environment, input, inputOrder);
  return runJob({
    job: mapJob(format, options.timeKey),
    asked: { detector, start, isOnHadoop: isHadoopTask(environment) },
    inputs: [await namedInput(input, format, start)],
    options: fillDefaults({ ...otherOptions, inputs: [name] }),
    format: namedFormat,
    key: { keys, rules: keyRulesOf(options, 'E_USAGE'), equality },
  });
}
