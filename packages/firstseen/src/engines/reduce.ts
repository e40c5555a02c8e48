// The reduce phase: takes the elements of each partition, in the order of their positions, into the detector of that partition, and
// passes on the distinct records. One partition follows the other, and only one is in memory.

import { defined } from '../base/defined.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { type Observation, observed } from '../framing/batch.js';
import { addCounts, noCounts, type RunCounts } from '../framing/counts.js';
import type { Emission } from '../io/policies.js';
import { STANDARD_STREAM } from '../io/system/paths.js';
import { readSecretFile } from '../io/system/secretfile.js';
import { DUPLICATE, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';
import type { PlannedOptions } from '../plan/auto.js';
import { tableAs } from '../records/dialect.js';
import { type EqualityOptions, equalityOf, fieldsOf } from '../records/equality.js';
import { type InputFormatName, recordFormatOf } from '../records/formats.js';
import { keyRulesOf } from '../records/policies.js';
import { keyNoteOf, rulesOf } from '../run/keys.js';
import { type RunOptions, runDefaults } from '../run/runoptions.js';
import { fillDefaults } from '../run/settled.js';
import { type OpenPartition, PartitionStates } from './partitionstates.js';
import { withWire } from './stream.js';
import { checkLineFormat, checkTimes, sharedSettings } from './taskdetector.js';
import { positionIn, recordIn, type WireBatch } from './wire.js';

export interface ReduceOptions
  extends Pick<
    RunOptions,
    | 'keys'
    | 'emptyKey'
    | 'nullKey'
    | 'emit'
    | 'secretFile'
    | 'shard'
    | 'timeKey'
    | 'timeFormat'
    | 'timeZone'
    | 'delimiter'
    | 'quote'
    | 'escape'
    | keyof EqualityOptions
  > {
  detector: PlannedOptions;
  format?: InputFormatName;
  /** Writes the position and a tab before each record. */
  keepsPosition?: boolean;
  /** The folder of the states before. */
  states?: string;
  /** The folder for the states after. */
  statesTo?: string;
  /** A file for the names of the states after. */
  statesList?: string;
}

const wantedBy: Readonly<Partial<Record<Emission, number>>> = {
  distinct: WANTED_DISTINCT | WANTED_PASSED,
  duplicates: WANTED_DUPLICATES,
  all: WANTED_DISTINCT | WANTED_DUPLICATES | WANTED_PASSED,
};

const verdictLines = {
  distinct: Buffer.from('distinct\n'),
  duplicate: Buffer.from('duplicate\n'),
  passed: Buffer.from('passed\n'),
};

/** The verdict on an element; `undefined` for one without a key. */
type IsDuplicate = boolean | undefined;

/** Makes the output for an element. */
type Pieces = (batch: WireBatch, index: number, isDuplicate: IsDuplicate) => Buffer[];

function piecesFor(emit: Emission, keepsPosition: boolean): Pieces {
  const positionPieces = (batch: WireBatch, index: number) => (keepsPosition ? [positionIn(batch, index)] : []);
  if (emit === 'verdicts') {
    return (batch, index, isDuplicate) => {
      // An empty line without a key is not a record.
      if (isDuplicate === undefined && recordIn(batch, index).length === 1) return [];
      const word = isDuplicate === undefined ? 'passed' : isDuplicate ? 'duplicate' : 'distinct';
      return [...positionPieces(batch, index), verdictLines[word]];
    };
  }
  const wantedKinds = wantedBy[emit] as number;
  return (batch, index, isDuplicate) => {
    const kind = isDuplicate === undefined ? WANTED_PASSED : isDuplicate ? WANTED_DUPLICATES : WANTED_DISTINCT;
    return (wantedKinds & kind) === 0 ? [] : [...positionPieces(batch, index), recordIn(batch, index)];
  };
}

/** Observes the elements of a batch that have a key. */
function observe(detector: Detector, { count, keyed, fingerprints, times }: WireBatch): Observation {
  const kernel = kernelOf(detector);
  const { isTimed } = detector.settings.parameters;
  let elements = 0;
  for (let i = 0; i < count; i++) {
    if (keyed[i] === 0) continue;
    kernel.fingerprints[elements] = fingerprints[i] as bigint;
    kernel.times[elements] = times[i] as number;
    elements++;
  }
  return observed(detector, elements, () =>
    isTimed ? detector.observePlacedTimed(elements) : detector.observePlaced(elements),
  );
}

/** The output for a batch whose first `takenCount` elements with a key have their verdicts in the kernel, and its counts. */
function answered(batch: WireBatch, detector: Detector, takenCount: number, pieces: Pieces) {
  const kernel = kernelOf(detector);
  const output: Buffer[] = [];
  const counts = { ...noCounts };
  let keyedIndex = 0;
  for (let i = 0; i < batch.count; i++) {
    const isKeyed = batch.keyed[i] === 1;
    if (isKeyed && keyedIndex === takenCount) break;
    const isDuplicate = isKeyed ? kernel.verdicts[keyedIndex++] === DUPLICATE : undefined;
    counts.records++;
    counts.bytesIn += (batch.ends[i] as number) - (batch.starts[i] as number);
    if (isDuplicate === undefined) counts.passed++;
    else if (isDuplicate) counts.duplicates++;
    else counts.distinct++;
    output.push(...pieces(batch, i, isDuplicate));
  }
  return { output: Buffer.concat(output), counts };
}

/** Takes the partitions of a task, one after the other. */
class Reducer {
  readonly #states: PartitionStates;
  readonly #pieces: Pieces;
  #open: OpenPartition | undefined;
  /** Counts of the open partition, and of the task. */
  #counts = noCounts as RunCounts;
  total = noCounts as RunCounts;

  constructor(states: PartitionStates, pieces: Pieces) {
    this.#states = states;
    this.#pieces = pieces;
  }

  async take(batch: WireBatch, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#open?.partition !== batch.partition) {
      await this.save();
      this.#open = await this.#states.open(batch.partition);
    }
    const { detector } = this.#open as OpenPartition;
    const { taken: takenCount, failure } = observe(detector, batch);
    const { output, counts } = answered(batch, detector, takenCount, this.#pieces);
    await write(output);
    this.#counts = addCounts(this.#counts, { ...counts, bytesOut: output.length });
    if (failure) throw failure.at(`partition ${batch.partition}`);
  }

  /** Saves the open partition and releases it. */
  async save(): Promise<void> {
    if (this.#open) await this.#states.save(this.#open, this.#counts);
    this.total = addCounts(this.total, this.#counts);
    this.#counts = noCounts;
    this.#open = undefined;
  }
}

/**
 * Writes the distinct records of the partitions on standard input to standard output, and saves the partitions.
 * @throws FirstseenError E_USAGE for a window that is a duration without a time key and for formats that are not lines, E_RECORD and E_ORDER for lines that are not
 * elements in order, E_FULL or E_PARTITION when a detector does not take an element, E_STATE_DIFFERS and E_STATE_FILE for the states,
 * E_INPUT, E_OUTPUT; OutputClosed.
 */
export async function runReduce(options: ReduceOptions): Promise<RunCounts> {
  const { emit = runDefaults.emit, keepsPosition = false, keys = runDefaults.keys, secretFile } = options;
  const { shard, timeKey, timeFormat, timeZone, delimiter, quote, escape: escapeCharacter } = options;
  const table = tableAs(options.format ?? 'lines', { delimiter, quote, escape: escapeCharacter });
  const sharedOptions = { shard, timeKey, timeFormat, timeZone, ...table.options };
  const secret = secretFile === undefined ? undefined : await readSecretFile(secretFile);
  const detector = defined({ ...options.detector, secret });
  const equality = equalityOf(options, 'E_USAGE');
  const format = recordFormatOf(table.format, fieldsOf(keys, equality));
  checkLineFormat(table.format);
  const keyRequest = { keys, rules: keyRulesOf(options, 'E_USAGE'), equality };
  const filledOptions = fillDefaults({ inputs: [STANDARD_STREAM], ...defined(sharedOptions) });
  const key = keyNoteOf({ format, key: keyRequest, options: filledOptions }, rulesOf(keyRequest, undefined));
  const { states: from, statesTo: to, statesList } = options;
  const settings = sharedSettings(detector);
  checkTimes(settings, timeKey);
  const states = new PartitionStates({ detector, settings, key, from, to });
  const reducer = new Reducer(states, piecesFor(emit, keepsPosition));
  await withWire(settings.parameters.isTimed === true, async (batches, write) => {
    for await (const batch of batches) await reducer.take(batch, write);
  });
  await reducer.save();
  if (statesList !== undefined) await states.writeList(statesList);
  return reducer.total;
}
