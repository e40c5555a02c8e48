// Streams of bytes: the distinct records of chunks that are cut anywhere. It uses no file and no `node:` module.

import {
  checkAttached,
  checkBoolean,
  checkFunctions,
  checkOptions,
  checkWhole,
  checkWord,
  type OptionNames,
} from '../base/check.js';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { checkSoloDetector } from '../detectors/checkdetector.js';
import { ownClock, refuseClock } from '../detectors/clock.js';
import { Detector } from '../detectors/detector.js';
import type { RunCounts } from '../framing/counts.js';
import { keyedScan } from '../framing/keyedscan.js';
import { givenWholeModule, type ModuleOptions, moduleOptionNames } from '../kernel/given.js';
import { missingKey as missingKeyOption, onError as onErrorOption } from '../options/records.js';
import { keepsLineEnd as keepsLineEndOption } from '../options/run.js';
import { type PlannedOptions, plannedOptionNames } from '../plan/auto.js';
import { settingsWithKeys } from '../plan/keys.js';
import { checkOtherLines } from '../records/comments.js';
import { dialectOf, tableAs } from '../records/dialect.js';
import { type EqualityOptions, equalityOf, fieldsOf } from '../records/equality.js';
import { type FormatName, formatNames, recordFormatOf } from '../records/formats.js';
import { checkKeyList, checkKeyScheme, type KeyScheme, type KeySchemeFormat } from '../records/keyscheme.js';
import {
  type KeyPolicyOptions,
  keyPolicyNames,
  keyRuleDefaults,
  keyRulesOf,
  plainKeyRules,
  recordDefaults,
} from '../records/policies.js';
import type { RecordOptions } from '../records/recordoptions.js';
import { equalityOptionNames, separateRules } from '../records/schemes.js';
import { typesOf } from '../records/warc.js';
import { RecordFilter } from './recordfilter.js';
import { refuseSettings, strategyOf } from './stream.js';

/**
 * The options of a stream of bytes: how its records are framed and keyed, as in the command, and the detector. All are optional; those
 * of a detector cannot be given together with a `detector`. The stream takes about three times `maxRecordBytes` of address space.
 */
export interface DedupBytesOptions
  extends PlannedOptions,
    ModuleOptions,
    KeyPolicyOptions,
    EqualityOptions,
    RecordOptions {
  /** `lines`, `ndjson`, `csv`, `tsv`, `fields`, `logfmt`, `warc`, `nul` or `u64`. By default that of the keys of the detector, otherwise `ndjson` with `keys`, or `lines`. */
  format?: FormatName | undefined;
  /**
   * Key paths (ndjson), names or 1-based numbers of columns (csv, tsv), numbers of fields (lines), names (logfmt), or fields of records (warc). By default those of the detector, otherwise the whole record
   * is the key.
   */
  keys?: readonly string[] | undefined;
  /** A detector to use, which may also be used elsewhere, or that of a state of the command. */
  detector?: Detector | undefined;
  /** Leave a last record without a newline as it is; false by default, so that it gets one. */
  keepsLineEnd?: boolean | undefined;
  /**
   * The clock for a window that is a duration, in milliseconds since 1970; by default that of the
   * detector, or of the system. Not with a detector that has a clock of its own.
   */
  now?: (() => number) | undefined;
  /**
   * Called at the end of the input with the counts of its records and bytes. What it throws fails the stream. The stream does not
   * wait for a promise that it returns: handle its rejection there.
   */
  onEnd?: ((counts: RunCounts) => void) | undefined;
  /**
   * The number of chunks (bytes in Node) that each side of the stream holds before the side that feeds it has to wait:
   * 1 or more.
   */
  highWaterMark?: number | undefined;
}

const dedupBytesOptionNames: OptionNames<DedupBytesOptions> = {
  ...plannedOptionNames,
  ...moduleOptionNames,
  ...keyPolicyNames,
  ...equalityOptionNames,
  format: true,
  keys: true,
  detector: true,
  hasHeader: true,
  skipLines: true,
  comment: true,
  delimiter: true,
  quote: true,
  escape: true,
  warcTypes: true,
  onError: true,
  isStrict: true,
  maxRecordBytes: true,
  keepsLineEnd: true,
  now: true,
  onEnd: true,
  highWaterMark: true,
};

/** Returns the format and the scheme by which the keys of the records are made. A whole record needs no scheme. */
function schemeOf({ detector, keys, format, ...rules }: DedupBytesOptions): {
  format: FormatName;
  keyScheme?: KeyScheme;
} {
  if (keys !== undefined) checkKeyList(keys);
  const savedScheme = detector?.settings.keyScheme;
  const equality = equalityOf(rules);
  if (keys === undefined && format === undefined && !equality && savedScheme && savedScheme.format !== 'documents') {
    return savedScheme.keys.length > 0 || savedScheme.equality
      ? { format: savedScheme.format, keyScheme: savedScheme }
      : { format: savedScheme.format };
  }
  const isKeyed = keys !== undefined && keys.length > 0;
  const hasFields = fieldsOf(keys, equality).length > 0;
  const askedFormat = checkWord('format', format ?? (hasFields ? 'ndjson' : 'lines'), formatNames);
  const framing = recordFormatOf(askedFormat, fieldsOf(keys, equality));
  const scheme = { format: (framing === 'nul' ? 'lines' : framing) as KeySchemeFormat, keys: [...(keys ?? [])] };
  const keyScheme = isKeyed || equality ? { ...scheme, ...defined({ equality }) } : undefined;
  checkKeyScheme(savedScheme, keyScheme, 'detector');
  return { format: framing, ...defined({ keyScheme }) };
}

/** The options with the table as it is read. */
function withTable(request: DedupBytesOptions): DedupBytesOptions {
  if (request.format === undefined) return request;
  const { format, options } = tableAs(request.format, request);
  return { ...options, format };
}

/**
 * Opens the filter of a stream of bytes.
 * @throws FirstseenError as `create`, E_PARAMETER and E_USAGE for invalid options, E_STATE_DIFFERS when the keys of the detector are
 * made differently.
 */
export async function openFilter(request: DedupBytesOptions): Promise<RecordFilter> {
  checkOptions(request, dedupBytesOptionNames);
  const options = withTable(request);
  const {
    format: _format,
    keys: _keys,
    detector: givenDetector,
    onEnd,
    highWaterMark: _highWaterMark,
    ...filterOptions
  } = options;
  const {
    hasHeader,
    missingKey,
    emptyKey,
    nullKey,
    onError,
    isStrict,
    maxRecordBytes,
    keepsLineEnd,
    now,
    ...rulesAndSettings
  } = filterOptions;
  const [, { delimiter, quote, escape: before, warcTypes, skipLines = 0, comment, ...made }] =
    separateRules(rulesAndSettings);
  const { module, ...settings } = made;
  const host = givenWholeModule(defined({ module }));
  const recordOptions = {
    ...recordDefaults,
    keepsLineEnd: keepsLineEndOption.default as boolean,
    ...defined({ hasHeader, missingKey, onError, isStrict, maxRecordBytes, keepsLineEnd }),
  };
  checkWord('missingKey', recordOptions.missingKey, missingKeyOption.words);
  checkWord('onError', recordOptions.onError, onErrorOption.words);
  checkBoolean('hasHeader', recordOptions.hasHeader);
  checkBoolean('isStrict', recordOptions.isStrict);
  checkBoolean('keepsLineEnd', recordOptions.keepsLineEnd);
  checkWhole('maxRecordBytes', recordOptions.maxRecordBytes, { least: 1, most: 2 ** 30 });
  checkFunctions({ now, onEnd });
  const rulesAsked = keyRulesOf({ emptyKey, nullKey }, 'E_PARAMETER');
  if (givenDetector !== undefined) {
    checkSoloDetector('detector', givenDetector);
    refuseSettings(settings);
    if (now !== undefined && givenDetector.clock) throw ownClock();
  }
  refuseClock({ window: settings.window, now });
  const { format, keyScheme } = schemeOf(options);
  const detector =
    givenDetector ??
    (await Detector.ofSettings({ ...(await settingsWithKeys(settings)), ...defined({ keyScheme }) }, host));
  const keys = keyScheme?.keys ?? [];
  const rules = keys.length === 0 ? plainKeyRules : { ...keyRuleDefaults, ...rulesAsked };
  const { fingerprint } = detector.settings;
  const dialect = dialectOf({ delimiter, quote, escape: before }, format);
  checkOtherLines({ skipLines, comment }, format, dialect);
  const { equality } = keyScheme ?? {};
  const maxBytes = recordOptions.maxRecordBytes;
  const scan = keyedScan({
    ...{ format, fingerprint, maxRecordBytes: maxBytes, dialect, comment, equality, keys, rules },
    types: typesOf(warcTypes, format),
  });
  const filter = { ...recordOptions, ...host, emptyKey: rules.emptyKey, now: now ?? Date.now };
  const hasDelimiter = delimiter !== undefined;
  return RecordFilter.open({ ...filter, detector, format, keys, scan, skipLines, hasDelimiter });
}

/** The bytes of a chunk. @throws FirstseenError E_INPUT for what is not bytes, or is detached. */
function bytesOf(chunk: unknown): Uint8Array {
  if (ArrayBuffer.isView(chunk)) {
    checkAttached(chunk, 'a chunk', 'E_INPUT');
    return chunk instanceof Uint8Array ? chunk : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  throw new FirstseenError('E_INPUT', `a chunk has the type ${typeof chunk}`, {
    given: chunk,
    expected: 'bytes',
    remedy: 'pass bytes, or encode text as UTF-8',
  });
}

/** The steps that take the chunks of a stream, and pass on the bytes of its distinct records. */
export interface ByteSteps {
  open(): Promise<void>;
  take(chunk: unknown, pass: (bytes: Uint8Array) => void): Promise<void>;
  finish(pass: (bytes: Uint8Array) => void): Promise<void>;
  close(): void;
}

export function byteSteps(options: DedupBytesOptions): ByteSteps {
  let filter: RecordFilter | undefined;
  return {
    async open() {
      filter = await openFilter(options);
    },
    take: async (chunk, pass) => filter?.take(bytesOf(chunk), pass),
    async finish(pass) {
      await filter?.finish(pass);
      if (filter) options.onEnd?.(filter.counts);
    },
    close: () => filter?.close(),
  };
}

/**
 * A Web stream that takes bytes in chunks that are cut anywhere, and passes the bytes of the records that are seen for the first time:
 * the output of the command for the same input. It fails with E_KEY_MISSING or E_RECORD for a record that a policy refuses, and
 * otherwise as `create` and `observe`. Compressed bytes are decompressed before, with a `DecompressionStream`.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupBytes(options: DedupBytesOptions = {}): TransformStream<Uint8Array, Uint8Array> {
  const steps = byteSteps(options);
  // The types of TypeScript have no `cancel` yet.
  const transformer: Transformer<Uint8Array, Uint8Array> & { cancel: () => void } = {
    start: () => steps.open(),
    transform: (chunk, controller) => steps.take(chunk, (bytes) => controller.enqueue(bytes)),
    flush: (controller) => steps.finish((bytes) => controller.enqueue(bytes)),
    cancel: () => steps.close(),
  };
  const strategy = strategyOf(options);
  return new TransformStream(transformer, strategy, strategy);
}
