// Writes what was found: lines of attributes, or records without their seen passages.

import { joinBytes } from '../../base/utf8.js';
import { recordBytes } from '../../framing/joined.js';
import { forSelected, type RecordWriter } from '../../io/sink.js';
import { WANTED_DISTINCT, WANTED_PASSED } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { decisions } from '../../records/classes.js';
import type { FoundText, PassageFinder, SeenPassage } from './finder.js';
import { GrowingBytes } from './growing.js';
import type { FoundRecord, PassageObserver } from './observer.js';
import { type Place, placeOf, writtenOffsets } from './place.js';
import type { PassageSettings } from './settings.js';

export interface WriterOptions {
  kernel: Kernel;
  finder: PassageFinder;
  observer: PassageObserver;
  settings: PassageSettings;
}

const WANTED = WANTED_DISTINCT | WANTED_PASSED;

/** Calls back for each of the first records that is written; `found` is undefined for a record without a key. */
function forWritten(
  { kernel, observer }: WriterOptions,
  count: number,
  write: (index: number, found: FoundRecord | undefined) => void,
): void {
  forSelected({ kernel, count, wanted: WANTED }, (i, keyed) =>
    write(i, keyed === undefined ? undefined : observer.records[keyed]),
  );
}

function withoutHeader(): Pick<RecordWriter, 'checkHeader' | 'header'> {
  return { checkHeader: () => undefined, header: (header) => header };
}

/** Spans take as many bytes as at level 6, the default, and a third of its time (docs/decisions/086-passages.md). */
const SPANS_GZIP_LEVEL = 4;

const encoder = new TextEncoder();

/** The share of a passage that was seen, as a number with a point, as Dolma writes it. */
function scoreText({ share }: SeenPassage, { dolmaQuirks }: PassageSettings): string {
  const score = dolmaQuirks ? Math.fround(share) : share;
  return Number.isInteger(score) ? `${score}.0` : String(score);
}

function spansOf({ seen, written }: FoundText, settings: PassageSettings): Uint8Array {
  if (seen.length === 0) return written;
  return encoder.encode(
    seen.map((passage) => `[${passage.start},${passage.end},${scoreText(passage, settings)}]`).join(','),
  );
}

/** Whether a text has an attribute: none has one without characters, nor a whole text that was not seen. */
function hasAttribute(text: FoundText | undefined, { by }: PassageSettings): text is FoundText {
  return text !== undefined && text.characters > 0 && (by !== 'document' || text.seenPassages > 0);
}

const noBytes = new Uint8Array();

/** A line for each record: its attributes and its name. */
export function spansWriter(options: WriterOptions): RecordWriter {
  const { kernel, observer, settings } = options;
  const beginning = encoder.encode(`{"attributes":{${JSON.stringify(settings.attribute)}:[`);
  const middle = encoder.encode(']},"id":');
  const bare = encoder.encode('{"attributes":{},"id":');
  const nameless = encoder.encode('null');
  const end = encoder.encode('}\n');
  const lines = new GrowingBytes();
  const appendLine = (text: FoundText | undefined, id: Uint8Array | undefined) => {
    if (hasAttribute(text, settings)) {
      lines.append(beginning);
      lines.append(spansOf(text, settings));
      lines.append(middle);
    } else {
      lines.append(bare);
    }
    lines.append(id ?? nameless);
    lines.append(end);
  };
  return {
    checkHeader: (names) => observer.names?.checkHeader(names),
    header: () => noBytes,
    gzipLevel: SPANS_GZIP_LEVEL,
    records(count) {
      lines.clear();
      forWritten(options, count, (i, found) => {
        if (kernel.verdicts[i] === decisions.COPIED) lines.append(recordBytes(kernel, i));
        else appendLine(found?.text, found ? found.id : observer.names?.nameOf(i));
      });
      return lines.between(0, lines.length);
    },
  };
}

/** The parts of a record without the seen passages of its text. */
function partsWithout(record: Uint8Array, content: Place, seen: readonly SeenPassage[]): Uint8Array[] {
  const raw = record.subarray(content.start, content.end);
  const offsets = writtenOffsets(
    raw,
    seen.flatMap(({ startByte, endByte }) => [startByte, endByte]),
  );
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let i = 0; i < offsets.length; i += 2) {
    const start = content.start + (offsets[i] as number);
    parts.push(record.subarray(from, start));
    from = content.start + (offsets[i + 1] as number);
  }
  return [...parts, record.subarray(from)];
}

/** The records, each with its text without its seen passages. Everything else stays as it is. */
export function rewritingWriter(options: WriterOptions): RecordWriter {
  const { kernel, finder } = options;
  return {
    ...withoutHeader(),
    records(count) {
      const parts: Uint8Array[] = [];
      forWritten(options, count, (i, found) => {
        const record = recordBytes(kernel, i);
        const seen = found?.text?.seen ?? [];
        const place = seen.length > 0 ? placeOf(kernel, finder.regions.textPath, i) : undefined;
        if (!place) {
          parts.push(record);
          return;
        }
        const start = kernel.recordStarts[i] as number;
        parts.push(...partsWithout(record, { start: place.start - start + 1, end: place.end - start - 1 }, seen));
      });
      return joinBytes(parts);
    },
  };
}
