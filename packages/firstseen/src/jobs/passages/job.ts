// The job of passages: paragraphs, lines, n-grams or whole texts that were seen before.

import { defined } from '../../base/defined.js';
import type { FirstseenError } from '../../base/errors.js';
import type { JobNote } from '../../checkpoint/jobnote.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import { TEXT_BOUNDARY } from '../../kernel/abi.js';
import { PassageFinder } from '../../passages/finder.js';
import type { TextFinder, Wanted } from '../../passages/found.js';
import { ElementLookUp } from '../../passages/lookup.js';
import { noteOfPassages, PASSAGES } from '../../passages/note.js';
import type { PlannedOptions } from '../../plan/auto.js';
import { planSettings } from '../../plan/autosettings.js';
import { runWatch } from '../../plan/overload.js';
import { defaultDialect } from '../../records/dialect.js';
import type { FormatName } from '../../records/formats.js';
import type { JoinedTexts } from '../../records/texts.js';
import type { Job, JobRegionsRequest, JobRun } from '../../run/job.js';
import type { RecordOptions, StateOptions } from '../../run/settled.js';
import { ItemFinder, type ItemFinderOptions, itemRegionsEnd } from './items/finder.js';
import { type TestItem, unusedDetector } from './items/read.js';
import { PassageCounts, PassageObserver } from './observer.js';
import { checkNoteOf, type PassageSettings } from './passagesettings.js';
import { namesFor } from './recordname.js';
import { layOutRecords, writePaths } from './recordregions.js';
import { PassagesReview } from './review.js';
import { passageRegionsEnd, passagesPay } from './seats.js';
import { rewritingWriter, spansWriter, warcWriter } from './writers.js';

export interface PassageJobOptions
  extends Pick<RecordOptions, 'maxRecordBytes' | 'missingKey'>,
    Pick<StateOptions, 'state' | 'isReadOnly'> {
  settings: PassageSettings;
  /** The format of the records. */
  format: FormatName;
  /** The texts of a record, if there are several. */
  texts: JoinedTexts | undefined;
  hasHeader: boolean;
  detector: PlannedOptions;
  /** The test items that are looked for, if texts are not compared with each other. */
  items: readonly TestItem[] | undefined;
  onWarning: ((warning: FirstseenError) => void) | undefined;
  /** Called with what looks for items when the job starts. */
  onItems: (finder: ItemFinder) => void;
  /** True if texts are noted for a report. */
  isReviewed: boolean;
  /** Called with the counts when the job starts, and with what notes texts. */
  onBegin: (counts: PassageCounts, review: PassagesReview | undefined) => void;
}

/** The detector, the note and the options that a run begins with. */
interface BeginRequest {
  detector: Detector;
  note: JobNote | undefined;
  /** The options of the detector, with those of earlier runs. */
  asked: PlannedOptions;
}

/** Returns the form in which the writer of a run needs seen passages. */
function wantedOf({ emit }: PassageSettings): Wanted {
  if (emit === 'documents') return 'counts';
  return emit === 'rewritten' ? 'joined' : 'written';
}

/** The finder of passages in texts, and the finder that can also cut texts on several threads. */
interface Finders {
  finder: TextFinder;
  cutter: PassageFinder | undefined;
  /** The offset at which the regions of records begin. */
  end: number;
}

function itemFinder(options: PassageJobOptions, detector: Detector, items: readonly TestItem[]): Finders {
  const { settings, format, texts, maxRecordBytes: maxTextBytes, onItems } = options;
  const hasBoundaries = texts !== undefined || items.some(({ text }) => text.includes(TEXT_BOUNDARY));
  const own: ItemFinderOptions = { items, settings, hasQuotes: format === 'ndjson', hasBoundaries, maxTextBytes };
  const finder = new ItemFinder(kernelOf(detector), own);
  onItems(finder);
  return { finder, cutter: undefined, end: finder.regions.end };
}

function findersOf(options: PassageJobOptions, detector: Detector): Finders {
  const { settings, format, maxRecordBytes: maxTextBytes, items } = options;
  if (items) return itemFinder(options, detector, items);
  const hasQuotes = format === 'ndjson';
  const hasBoundaries = options.texts !== undefined;
  const own = { settings, wanted: wantedOf(settings), hasQuotes, hasBoundaries, maxTextBytes };
  const cutter = new PassageFinder(detector, own);
  return { finder: cutter, cutter, end: cutter.regions.end };
}

function begin(options: PassageJobOptions, { detector, note, asked: request }: BeginRequest): JobRun {
  const { settings, format, hasHeader, maxRecordBytes, missingKey, isReadOnly, onBegin } = options;
  const isJson = format === 'ndjson';
  const kernel = kernelOf(detector);
  const watch = runWatch(detector, {
    ...{ name: settings.by === 'ngram' ? 'n-grams' : 'passages', holder: 'table', asked: request },
    ...defined({ onWarning: options.onWarning }),
  });
  const elementsAhead = () => watch?.elementsAhead() ?? Number.POSITIVE_INFINITY;
  const lookUp = new ElementLookUp(detector, { isReadOnly, elementsAhead });
  const wantedParts = wantedOf(settings);
  const { finder, cutter, end } = findersOf(options, detector);
  const records = layOutRecords(settings, { maxRecordBytes, isReviewed: options.isReviewed }, end);
  writePaths(kernel, settings, records);
  const counts = new PassageCounts();
  const observer = new PassageObserver({
    ...{ kernel, finder, cutter, records, lookUp, settings, wanted: wantedParts, isJson, missingKey, counts },
    hasBoundaries: options.texts !== undefined,
  });
  const { observed = 0, duplicates = 0 } = note ?? {};
  const review = options.isReviewed
    ? new PassagesReview({
        recordsOf: (batch) => observer.recordsOf(batch),
        texts: isJson ? { regions: records, textKeys: settings.textKeys } : undefined,
      })
    : undefined;
  onBegin(counts, review);
  const writing = { regions: records, observer, settings, maxRecordBytes };
  const rewrittenWriter = format === 'warc' ? warcWriter : rewritingWriter;
  const writer = { spans: spansWriter, rewritten: rewrittenWriter, documents: undefined }[settings.emit];
  return {
    elementName: 'passage',
    review,
    observe: (count) => observer.observe(count),
    prepareThreads: (crew) => observer.prepareThreads(crew),
    callsAhead: (seat, count) => observer.callsAhead(seat, count),
    observeOnThreads: (batches, threads) => observer.observeOnThreads(batches, threads),
    advance: (timeMilliseconds) => detector.advance(timeMilliseconds),
    ...(writer && {
      writer({ dialect = defaultDialect(format) }) {
        const { idKey } = settings;
        if (settings.emit === 'spans') observer.names = namesFor({ idKey, format, hasHeader, dialect });
        return writer(writing);
      },
    }),
    overload: () => watch?.atEnd(),
    note: () => ({
      ...{ name: PASSAGES, settings: noteOfPassages(settings), rest: null },
      observed: observed + counts.documents,
      duplicates: duplicates + counts.documentsDropped,
    }),
  };
}

function regionsWithItems(
  { settings, isReviewed }: PassageJobOptions,
  items: readonly TestItem[],
  { offset, maxRecordBytes }: JobRegionsRequest,
): number {
  const itemsEnd = itemRegionsEnd({ items, maxTextBytes: maxRecordBytes }, offset);
  return layOutRecords(settings, { maxRecordBytes, isReviewed }, itemsEnd).end;
}

export const passagesJob: Job<PassageJobOptions> = {
  name: PASSAGES,
  takes: 'spans',
  comparesKeys: false,
  emissions: ['spans', 'rewritten', 'documents'],
  resolve(options, { note, secret, askedBefore }) {
    const { settings, state, items } = options;
    checkNoteOf(note, settings, state);
    const tableOptions = items ? unusedDetector : options.detector;
    const detector = secret === undefined ? tableOptions : { ...tableOptions, secret };
    return {
      detector,
      texts: options.texts,
      settings: () => planSettings(detector, 'every stream'),
      regionsEnd: (request) =>
        items
          ? regionsWithItems(options, items, request)
          : passageRegionsEnd(settings, { ...request, isReviewed: options.isReviewed }),
      threadsPay: passagesPay(settings),
      canUseThreads: items === undefined,
      begin: (table) => begin(options, { detector: table, note, asked: { ...askedBefore, ...defined(detector) } }),
    };
  },
};
