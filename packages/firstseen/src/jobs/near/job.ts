// The job of near-duplicate detection.

import { tmpdir } from 'node:os';
import { differencesOf } from '../../base/differences.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { runAtOnce } from '../../base/steps.js';
import type { JobNote } from '../../checkpoint/jobnote.js';
import { stateDiffers } from '../../checkpoint/resume.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { resolveWitnessBytes } from '../../detectors/witness.js';
import type { Observation } from '../../framing/batch.js';
import type { Emission } from '../../io/policies.js';
import { MAX_RANK_EXTRA_BYTES, SCAN_MAX_RANK_BYTES } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { elementRate } from '../../near/decision.js';
import { NearDetector, nearRegionsEnd } from '../../near/detector.js';
import { checkWordRules, differencesToNote, jobNoteOf, NEAR, settingsOfNote } from '../../near/note.js';
import { type NearOptions, resolveSignature, type SignatureSettings, tableOptions } from '../../near/settings.js';
import { askedOfTable, resolveTable } from '../../near/tables.js';
import type { JoinedTexts } from '../../records/texts.js';
import type { Job, JobRun } from '../../run/job.js';
import { changedInput } from '../../run/reread.js';
import type { OutputOptions, RecordOptions, ReportOptions, StateOptions } from '../../run/settled.js';
import { nearAnnotation } from './annotation.js';
import type { DocumentFiles } from './documentfiles.js';
import type { DocumentFormat } from './documentoptions.js';
import { checkClusters, type DocumentKeep } from './keep.js';
import { ClusterMembers } from './members.js';
import { AddedNames } from './names.js';
import { NearObserver } from './observer.js';
import { NearReview } from './review.js';
import { canSignInKernel, signingPays, signingRegionsEnd } from './signing.js';
import { NearWatch } from './watch.js';
import { attributesWriter, idsWriter } from './writers.js';

export interface NearJobOptions
  extends Pick<RecordOptions, 'maxRecordBytes' | 'onError' | 'missingKey'>,
    Pick<StateOptions, 'state' | 'isReadOnly'>,
    Pick<ReportOptions, 'onWarning'>,
    Pick<OutputOptions, 'emit' | 'idsTo'> {
  format: DocumentFormat;
  /** The files that are the documents, if they are files. */
  files: DocumentFiles | undefined;
  /** The texts of a document, if there are several. */
  texts: JoinedTexts | undefined;
  /** The rule that chooses the kept document of a cluster; undefined for the first one. */
  keep: DocumentKeep | undefined;
  /** True if records have a key that names them. */
  hasId: boolean;
  near: NearOptions;
  /** True if documents are noted for a report. */
  isReviewed: boolean;
  /** Called with the job when it starts. */
  onBegin: (run: NearJobRun) => void;
}

/** The running job, for the summary. */
export interface NearJobRun {
  near: NearDetector;
  observer: NearObserver;
  watch: NearWatch;
  review: NearReview | undefined;
}

/**
 * The options of a run that only reads a state: the documents that it can name are those that the state has.
 * @throws FirstseenError E_STATE_DIFFERS when it has none.
 */
function withExplainOf({ explain: inState }: JobNote['settings'], options: NearOptions, path: string): NearOptions {
  const { explain = 0, ...otherOptions } = options;
  if (explain > 0 && Number(inState) === 0) {
    const option = optionName('explain');
    const problem = phrase`state ${path} names no documents, because it was made without ${option}`;
    throw new FirstseenError('E_STATE_DIFFERS', problem, {
      remedy: phrase`make it again with ${option} ${explain}, or leave ${option} out; with ${optionName('emit')} ids, a state names all that its table remembers`,
    });
  }
  return otherOptions;
}

/** The resolved settings; absent options are taken from the state. @throws FirstseenError E_STATE_DIFFERS, or as `checkWordRules` */
function settle(options: NearJobOptions, savedNote: JobNote | undefined): SignatureSettings {
  const { near, state, isReadOnly, texts: { count: texts = 0 } = {} } = options;
  if (savedNote?.name !== nearJob.name) return resolveSignature(near, { texts });
  checkWordRules(savedNote.settings);
  const request = isReadOnly ? withExplainOf(savedNote.settings, near, state as string) : near;
  const { texts: inState = 0 } = savedNote.settings;
  const differences = [
    ...differencesToNote(savedNote.settings, request),
    ...differencesOf([{ what: 'number of texts', inState, given: texts }]),
  ];
  if (differences.length === 0) return settingsOfNote(savedNote.settings, request);
  throw stateDiffers(state as string, differences);
}

/** @throws FirstseenError E_USAGE when the eight bytes of a number would be compared as text. */
function checkComparison(format: DocumentFormat, { shingle, lsh }: SignatureSettings): void {
  if (format !== 'u64' || shingle === undefined) return;
  const remedy = phrase`choose ${optionName('lsh')} bits, or ${optionName('format')} files if each file is a document`;
  throw new FirstseenError('E_USAGE', `records of format u64 are numbers, but ${lsh.name} compares text`, {
    option: 'lsh',
    given: lsh.name,
    expected: 'bits',
    remedy,
  });
}

/** @throws FirstseenError E_USAGE for several texts that would be compared as bytes of one length. */
function checkTexts({ texts }: NearJobOptions, { shingle, lsh }: SignatureSettings): void {
  if (texts === undefined || shingle !== undefined) return;
  const problem = phrase`${optionName('textKey')} gives several texts, but ${lsh.name} compares bytes`;
  const remedy = phrase`give one, or choose ${optionName('lsh')} minhash or simhash`;
  throw new FirstseenError('E_USAGE', problem, { option: 'textKey', remedy });
}

/**
 * Returns the writer of document names, if names are written. A function, so that a run of another job does not load
 * the writers.
 */
function namingWriter(emit: Emission): typeof idsWriter | undefined {
  if (emit === 'ids') return idsWriter;
  return emit === 'attributes' ? attributesWriter : undefined;
}

/** Tells if names of documents are written, in place of records or beside them. */
function writesNames({ emit, idsTo }: Pick<OutputOptions, 'emit' | 'idsTo'>): boolean {
  return idsTo !== undefined || namingWriter(emit) !== undefined;
}

/** @throws FirstseenError E_USAGE when names of near documents are asked for that nobody knows. */
function checkNaming({ emit, idsTo }: NearJobOptions, { verify }: SignatureSettings): void {
  if (!writesNames({ emit, idsTo }) || verify) return;
  const [option, given] = idsTo === undefined ? (['emit', emit] as const) : (['idsTo', idsTo] as const);
  const problem = phrase`${optionName(option)} ${given} names the document that another is near, but documents are not verified`;
  throw new FirstseenError('E_USAGE', problem, {
    ...{ option, given },
    remedy: phrase`leave out ${optionName('verify')} and options that only tables of bands have, or give ${optionName('emit')} all ${optionName('annotate')} near ${optionName('explain')} 1000`,
  });
}

/** The options of the table. Its parameters follow from its rate, which is added where they are planned. */
function askedDetector(asked: NearOptions, settings: SignatureSettings) {
  const table = askedOfTable(tableOptions(asked), settings);
  const isPlanned = [asked.window, asked.windowSlack, asked.fpr].some((value) => value !== undefined);
  return { ...table, ...(isPlanned && !settings.verify ? { fpr: elementRate(settings) } : {}) };
}

/** Returns the warning that the nearest documents are those of a state, which was made without their names. */
function withoutNames(state: string): FirstseenError {
  const emit = optionName('emit');
  const problem = phrase`state ${state} has no names of its documents, so the document that another one is near is not named`;
  return new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`make the state again with ${emit} ids or ${emit} attributes, and ${optionName('idKey')} if records have names`,
  });
}

/** A table of bands has a witness, which tells which bands it has forgotten. A table of sketches knows how many documents it holds. */
function withWitness(settings: DetectorSettings, { verify }: SignatureSettings): DetectorSettings {
  return verify ? settings : { ...settings, witnessBytes: resolveWitnessBytes(true) };
}

/** The end of the memory for the rank of a document, after the regions of the job. */
function rankRegionEnd(keep: DocumentKeep | undefined, offset: number): number {
  return keep?.field === undefined ? offset : offset + SCAN_MAX_RANK_BYTES + MAX_RANK_EXTRA_BYTES;
}

interface BeginRequest {
  detector: Detector;
  signature: SignatureSettings;
  note: JobNote | undefined;
}

function begin(options: NearJobOptions, { detector, signature, note }: BeginRequest): JobRun {
  const { format, maxRecordBytes, hasId, isReadOnly, emit, idsTo, keep, onBegin, onWarning } = options;
  const kernel = kernelOf(detector);
  const near = new NearDetector({ ...signature, table: detector.settings }, detector, maxRecordBytes);
  if (note !== undefined) near.restore(note.rest);
  const writer = namingWriter(emit);
  const capacity = Number(detector.settings.parameters.values.n);
  const hasNames = writesNames({ emit, idsTo });
  const names = hasNames && keep === undefined ? new AddedNames(capacity) : undefined;
  names?.restore(note?.rest);
  if (names?.isEmpty && near.observed > 0) onWarning?.(withoutNames(options.state as string));
  // Parameters that are given have the rate that they have, and what is only tested does not fill the table.
  const hasRate = !signature.verify && !isReadOnly && options.near.parameters === undefined;
  const watch = new NearWatch({ near, table: hasRate ? detector : undefined, onWarning });
  const members = keep && new ClusterMembers(keep, { capacity, folder: tmpdir(), hasNames });
  const review = options.isReviewed ? new NearReview({ near, bytes: kernel.bytes }) : undefined;
  const observer = new NearObserver({
    ...options,
    ...{ kernel, near, watch, names, members, review },
    form: { isJson: format === 'ndjson', hasId },
    rankAt: nearRegionsEnd(signature, maxRecordBytes, kernel.regionOffset),
    hasLengths: emit === 'attributes',
  });
  onBegin({ near, observer, watch, review });
  const foundDocuments = () => (members ?? observer).found;
  const observing = {
    observe: (count: number) => observer.observe(count),
    observeTimed: (count: number) => observer.observeTimed(count),
  };
  return {
    elementName: 'band',
    review,
    ...(members ? secondReading(members, kernel, observing.observe) : observing),
    prepareThreads: (crew) => observer.prepareThreads(crew),
    callsAhead: (seat, count) => observer.callsAhead(seat, count),
    observeOnThreads: (batches, threads) => observer.observeOnThreads(batches, threads),
    advance: (timeMilliseconds) => observer.advance(timeMilliseconds),
    annotation: nearAnnotation(signature, () => observer.answers),
    ...(writer && { writer: () => writer({ found: foundDocuments }) }),
    ...(idsTo !== undefined && { idsWriter: () => idsWriter({ found: foundDocuments }) }),
    note: () => jobNoteOf(signature, { ...near.contents(), ...(names && { names: names.note() }) }),
  };
}

/** The two readings of a run that keeps another document of a cluster than the first. */
function secondReading(
  members: ClusterMembers,
  { verdicts }: Kernel,
  observe: (count: number) => Observation,
): Pick<JobRun, 'observe' | 'firstReading'> {
  return {
    firstReading: {
      folder: tmpdir(),
      observe(count) {
        const observation = observe(count);
        if (observation.failure) members.endAt(observation.failure);
        return observation;
      },
      async finish() {
        members.checkRanks();
        return true;
      },
      checkWhole() {
        if (!members.isWhole) throw changedInput('an input');
      },
      close: () => members.close(),
    },
    observe(count) {
      const observation = members.tell(count, verdicts);
      if (observation === undefined) throw changedInput('an input');
      return observation;
    },
  };
}

export const nearJob: Job<NearJobOptions> = {
  name: NEAR,
  takes: 'spans',
  comparesKeys: false,
  emissions: ['distinct', 'duplicates', 'verdicts', 'all', 'annotated', 'ids', 'attributes'],
  resolve(options, { note, secret }) {
    const nearOptions = secret === undefined ? options.near : { ...options.near, secret };
    const signature = settle(options, note);
    checkComparison(options.format, signature);
    checkNaming(options, signature);
    checkTexts(options, signature);
    checkClusters(options.keep, signature);
    return {
      detector: askedDetector(nearOptions, signature),
      texts: options.texts,
      rank: options.keep?.field,
      settings: () => withWitness(runAtOnce(resolveTable(tableOptions(nearOptions), signature)), signature),
      regionsEnd: (request) => rankRegionEnd(options.keep, signingRegionsEnd(signature, request)),
      threadsPay: signingPays(signature),
      canUseThreads:
        !options.isReadOnly &&
        options.format !== 'files' &&
        options.keep === undefined &&
        !writesNames(options) &&
        canSignInKernel(signature),
      begin: (detector) => begin(options, { detector, signature, note }),
    };
  },
};
