// Writes what was found: lines of attributes, or records without their seen passages.

import { joinBytes } from '../../base/utf8.js';
import { JOINED_END, recordBytes } from '../../framing/joined.js';
import { emittedMask, forSelected, isSelected, type RecordBatch, type RecordWriter } from '../../io/sink.js';
import { WANTED_PASSED } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { FoundItem, FoundText, SeenPassage } from '../../passages/found.js';
import { GrowingBytes } from '../../passages/growing.js';
import { decisions } from '../../records/classes.js';
import type { FoundRecord, PassageObserver } from './observer.js';
import type { PassageSettings } from './passagesettings.js';
import { type Place, placesOf, type TextPlace } from './place.js';
import { PARTS_AT_ONCE, type RecordRegions } from './recordregions.js';
import { recordWithout } from './warctext.js';

export interface WriterOptions {
  regions: RecordRegions;
  observer: PassageObserver;
  settings: PassageSettings;
  maxRecordBytes: number;
}

const WANTED = emittedMask('distinct');

/** Calls back for each record of a batch that is written; `found` is undefined for a record without a key. */
function forWritten(
  { observer }: WriterOptions,
  batch: RecordBatch,
  write: (index: number, found: FoundRecord | undefined) => void,
): void {
  const records = observer.recordsOf(batch);
  forSelected(batch, WANTED, (i, keyed) => write(i, keyed === undefined ? undefined : records[keyed]));
}

function withoutHeader(): Pick<RecordWriter, 'checkHeader' | 'header'> {
  return { checkHeader: () => undefined, header: (header) => header };
}

/** Spans take as many bytes as at level 6, the default, and a third of its time (docs/decisions/086-passages.md). */
const SPANS_GZIP_LEVEL = 4;

const encoder = new TextEncoder();

/** Tells if a text has an attribute: none has one without characters, nor a whole text that was not seen. */
function hasAttribute(text: FoundText | undefined, { by }: PassageSettings): text is FoundText {
  return text !== undefined && text.characters > 0 && (by !== 'document' || text.seenPassages > 0);
}

const noBytes = new Uint8Array();

/** A line for each record: its attributes and its name. */
export function spansWriter(options: WriterOptions): RecordWriter {
  const { observer, settings, maxRecordBytes } = options;
  const beginning = encoder.encode(`{"attributes":{${JSON.stringify(settings.attribute)}:[`);
  const middle = encoder.encode(']},"id":');
  const bare = encoder.encode('{"attributes":{},"id":');
  const nameless = encoder.encode('null');
  const end = encoder.encode('}\n');
  const appendItems = (items: readonly FoundItem[]) => {
    lines.append(itemsBeginning);
    for (const [i, { id, share }] of items.entries()) {
      lines.append(encoder.encode(i === 0 ? '[' : ',['));
      lines.append(id);
      lines.append(encoder.encode(`,${share}]`));
    }
    lines.append(itemsEnd);
  };
  const itemsBeginning = encoder.encode(',"items":[');
  const itemsEnd = encoder.encode(']');
  const uncheckedLine = joinBytes([bare, nameless, end]);
  const lines = new GrowingBytes();
  const appendLine = (text: FoundText | undefined, id: Uint8Array | undefined) => {
    if (hasAttribute(text, settings)) {
      lines.append(beginning);
      lines.append(text.written, text.writtenStart, text.writtenEnd);
      lines.append(middle);
    } else {
      lines.append(bare);
    }
    lines.append(id ?? nameless);
    if (text?.items) appendItems(text.items);
    lines.append(end);
  };
  // A record that is too long can come in parts, in which no name is found.
  const nameIn = (batch: RecordBatch, i: number) => {
    const { recordStarts, recordEnds } = batch.kernel;
    const bytes = (recordEnds[i] as number) - (recordStarts[i] as number);
    return bytes > maxRecordBytes ? undefined : observer.nameOf(batch, i);
  };
  return {
    checkHeader: (names) => observer.names?.checkHeader(names),
    linesBefore: () => noBytes,
    header: () => noBytes,
    gzipLevel: SPANS_GZIP_LEVEL,
    inPlaceOfPieces: (verdict) => (isSelected(verdict, WANTED_PASSED) ? uncheckedLine : noBytes),
    records(batch) {
      const { kernel } = batch;
      lines.clear();
      forWritten(options, batch, (i, answer) => {
        if (kernel.verdicts[i] === decisions.COPIED) lines.append(recordBytes(kernel, i));
        else appendLine(answer?.text, answer ? answer.id : nameIn(batch, i));
      });
      return lines.between(0, lines.length);
    },
  };
}

/** A string of a record, and the parts of it that are left out: their first byte and one past their last, when its escapes are decoded. */
interface RewrittenString {
  place: Place;
  parts: readonly (readonly [startByte: number, endByte: number])[];
}

/** The strings of a record that have seen passages, in the order in which the record has them. */
function rewrittenStrings(places: readonly TextPlace[], seenPassages: readonly SeenPassage[]): RewrittenString[] {
  const strings = places.map((place): RewrittenString => {
    const { firstByte, lastByte } = place;
    const inside = seenPassages.filter(({ startByte, endByte }) => endByte > firstByte && startByte < lastByte);
    const parts = inside.map(
      ({ startByte, endByte }) =>
        [Math.max(startByte, firstByte) - firstByte, Math.min(endByte, lastByte) - firstByte] as const,
    );
    return { place, parts };
  });
  return strings.filter(({ parts }) => parts.length > 0).sort((a, b) => a.place.start - b.place.start);
}

interface RewrittenRecord {
  kernel: Kernel;
  regions: RecordRegions;
  index: number;
}

/** Appends a record of a batch without parts of its texts. */
function appendWithout(
  lines: GrowingBytes,
  { kernel, regions: { parts: partsAt, rewritten }, index }: RewrittenRecord,
  strings: readonly RewrittenString[],
): void {
  const { exports, bytes } = kernel;
  exports.rewriteBegin(kernel.recordStarts[index] as number, rewritten);
  for (const { place, parts } of strings) {
    exports.rewriteString(place.start, place.end);
    for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
      const partsOfCall = parts.slice(from, from + PARTS_AT_ONCE);
      new Uint32Array(bytes.buffer, partsAt, 2 * partsOfCall.length).set(partsOfCall.flat());
      exports.rewriteWithout(partsAt, partsOfCall.length);
    }
  }
  const contentEnd = exports.joinedContentEnd(index) >>> 0;
  const rewrittenEnd = exports.rewriteEnd(contentEnd || (kernel.recordEnds[index] as number)) >>> 0;
  lines.append(bytes, rewritten, rewrittenEnd);
  if (contentEnd !== 0) lines.append(JOINED_END);
}

/** Records of WARC, each with its block without its seen passages. */
export function warcWriter(options: WriterOptions): RecordWriter {
  const records = new GrowingBytes();
  const recordEnds: number[] = [];
  return {
    ...withoutHeader(),
    recordEnds,
    records(batch) {
      const { kernel } = batch;
      records.clear();
      recordEnds.length = 0;
      forWritten(options, batch, (index, answer) => {
        const seenPassages = answer?.text?.seen ?? [];
        const record = recordBytes(kernel, index);
        records.append(seenPassages.length > 0 ? recordWithout(record, seenPassages) : record);
        // The blank lines before a record are a part of its member.
        if (kernel.verdicts[index] !== decisions.COPIED) recordEnds.push(records.length);
      });
      return records.between(0, records.length);
    },
  };
}

/** The records, each with its text without its seen passages. Everything else stays as it is. */
export function rewritingWriter(options: WriterOptions): RecordWriter {
  const { regions, settings } = options;
  const lines = new GrowingBytes();
  return {
    ...withoutHeader(),
    records(batch) {
      const { kernel } = batch;
      lines.clear();
      forWritten(options, batch, (index, answer) => {
        const seenPassages = answer?.text?.seen ?? [];
        if (seenPassages.length === 0) {
          lines.append(recordBytes(kernel, index));
          return;
        }
        const places = placesOf(kernel, regions, { textKeys: settings.textKeys, index });
        appendWithout(lines, { kernel, regions, index }, rewrittenStrings(places, seenPassages));
      });
      return lines.between(0, lines.length);
    },
  };
}
