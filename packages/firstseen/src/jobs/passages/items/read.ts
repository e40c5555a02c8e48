// Reads test items: the text of each record, and its name.

import { devNull } from 'node:os';
import { FirstseenError, optionName, phrase } from '../../../base/errors.js';
import { type Detector, kernelOf } from '../../../detectors/detector.js';
import type { Observation } from '../../../framing/batch.js';
import type { RecordWriter } from '../../../io/sink.js';
import type { InputRequest } from '../../../io/source.js';
import { BATCH_CAPACITY, DUPLICATE } from '../../../kernel/abi.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { regionsFrom } from '../../../passages/regions.js';
import { planSettings } from '../../../plan/autosettings.js';
import { recordClasses } from '../../../records/classes.js';
import { type Dialect, defaultDialect } from '../../../records/dialect.js';
import { type FormatName, type InputFormatName, recordFormatOf } from '../../../records/formats.js';
import { joinedTexts } from '../../../records/texts.js';
import type { Job, JobRun } from '../../../run/job.js';
import { runJob } from '../../../run/runjob.js';
import { fillDefaults } from '../../../run/settled.js';
import { QUOTE } from '../place.js';
import { namesFor, type RecordNames } from '../recordname.js';
import { layOutRecords, writePaths } from '../recordregions.js';

/** A test item. */
export interface TestItem {
  /** Its name as JSON. */
  id: Uint8Array;
  text: Uint8Array;
}

export interface ItemSource {
  inputs: readonly InputRequest[];
  format: InputFormatName;
  textKeys: readonly string[];
  idKey: string;
  /** True if an item without a name has its number. */
  mayLackId: boolean;
  maxRecordBytes: number;
}

interface ReadOptions extends ItemSource {
  recordFormat: FormatName;
  items: TestItem[];
}

/** A detector to which no element is added. */
export const unusedDetector = { algorithm: 'exact', memory: '1KiB', witness: false } as const;

/** The regions of records, and where the names of the records of a batch are, if they are in JSON. */
function layOut(options: ItemSource, offset: number) {
  const records = layOutRecords({ ...options, emit: 'spans' }, { maxRecordBytes: options.maxRecordBytes }, offset);
  const { take, end } = regionsFrom(records.end);
  const names = take(BATCH_CAPACITY * 2 * Uint32Array.BYTES_PER_ELEMENT);
  return { records, names, end: end() };
}

const encoder = new TextEncoder();
const noBytes = new Uint8Array();

class ItemReader {
  names: RecordNames | undefined;
  readonly #options: ReadOptions;
  readonly #kernel: Kernel;
  readonly #idPath: number;
  /** The address of the places of names. */
  readonly #places: number;

  constructor(options: ReadOptions, kernel: Kernel) {
    this.#options = options;
    this.#kernel = kernel;
    const { records, names } = layOut(options, kernel.regionOffset);
    this.#idPath = records.idPath;
    this.#places = names;
    writePaths(kernel, options, records);
  }

  /** Takes the names of the columns of a table, of which none need be that of names. */
  checkHeader(columns: readonly string[]): void {
    const { mayLackId, idKey } = this.#options;
    if (mayLackId && !columns.includes(idKey)) this.names = undefined;
    else this.names?.checkHeader(columns);
  }

  observe(count: number): Observation {
    const { recordFormat, items } = this.#options;
    const { exports, bytes, recordClasses: classes, spans, verdicts } = this.#kernel;
    const names = this.#places;
    if (recordFormat === 'ndjson') exports.jsonPlaces(this.#idPath, names);
    for (let keyed = 0, record = 0; keyed < count; record++) {
      if (classes[record] !== recordClasses.KEYED.code) continue;
      const id = this.names?.nameOf({ kernel: this.#kernel, names }, record);
      const [start, end] = [spans[2 * keyed] as number, spans[2 * keyed + 1] as number];
      const failure = this.#problemOf(start, id);
      if (failure) return { taken: keyed, failure };
      const quote = recordFormat === 'ndjson' ? 1 : 0;
      items.push({
        id: id?.slice() ?? encoder.encode(String(items.length + 1)),
        text: bytes.slice(start + quote, end - quote),
      });
      verdicts[keyed++] = DUPLICATE;
    }
    return { taken: count };
  }

  #problemOf(start: number, id: Uint8Array | undefined): FirstseenError | undefined {
    const { recordFormat, textKeys, idKey, mayLackId } = this.#options;
    if (recordFormat === 'ndjson' && this.#kernel.bytes[start] !== QUOTE) {
      return new FirstseenError('E_KEY_MISSING', `the item has no text at ${textKeys.join(', ')}, but another value`);
    }
    if (id !== undefined || mayLackId) return undefined;
    return new FirstseenError('E_KEY_MISSING', `the item has no name at ${idKey}`);
  }
}

function begin(options: ReadOptions, detector: Detector): JobRun {
  const { recordFormat, idKey } = options;
  const reader = new ItemReader(options, kernelOf(detector));
  const writer: RecordWriter = {
    checkHeader: (columns) => reader.checkHeader(columns),
    linesBefore: () => noBytes,
    header: () => noBytes,
    records: () => noBytes,
  };
  return {
    observe: (count) => reader.observe(count),
    writer({ dialect = defaultDialect(recordFormat) }: { dialect?: Dialect | undefined }) {
      reader.names = namesFor({ idKey, format: recordFormat, hasHeader: true, dialect });
      return writer;
    },
  };
}

const itemsJob: Job<ReadOptions> = {
  name: 'items',
  takes: 'spans',
  comparesKeys: false,
  emissions: ['spans'],
  resolve: (options) => ({
    detector: unusedDetector,
    texts: joinedTexts(options.textKeys, options.recordFormat, { areStrings: true }),
    settings: () => planSettings(unusedDetector, 'every stream'),
    regionsEnd: ({ offset }) => layOut(options, offset).end,
    begin: (detector) => begin(options, detector),
  }),
};

/** An error about an item without text or name: policies for records do not apply to items. */
function itemError(error: unknown): unknown {
  if (!(error instanceof FirstseenError) || error.code !== 'E_KEY_MISSING') return error;
  const { problem, details } = error.data;
  const remedy = phrase`correct the item, ${optionName('itemTextKey')} or ${optionName('itemIdKey')}`;
  return new FirstseenError('E_KEY_MISSING', problem, { ...details, remedy, cause: error });
}

/**
 * The items of the inputs, in their order.
 * @throws FirstseenError as a run over records does.
 */
export async function readItems(source: ItemSource): Promise<TestItem[]> {
  const { inputs, format, textKeys, maxRecordBytes } = source;
  const items: TestItem[] = [];
  await runJob({
    job: itemsJob,
    asked: { ...source, recordFormat: recordFormatOf(format), items },
    options: fillDefaults({ inputs: inputs.map(({ name }) => name), output: devNull, emit: 'spans', maxRecordBytes }),
    format,
    key: { keys: textKeys, keyOptions: textKeys.map(() => 'itemTextKey') },
    inputs,
  }).catch((error: unknown) => {
    throw itemError(error);
  });
  return items;
}
