// Near-duplicate detection as a job that a run does.

import type { Detector } from '../../detectors/detector.js';
import { FirstseenError } from '../../errors.js';
import { elementRate } from '../../near/decision.js';
import { NearDetector, nearRegionBytes } from '../../near/detector.js';
import { differencesToNote, noteOfSettings } from '../../near/note.js';
import { type NearOptions, resolveSignature, type SignatureSettings, tableOptions } from '../../near/settings.js';
import { askedOfTable, resolveTable } from '../../near/tables.js';
import type { RunCounts } from '../../run/counts.js';
import type { Extension, JobNote, JobRun } from '../../run/job.js';
import { annotator, tellsOf } from './annotate.js';
import { NearObserver } from './observer.js';
import type { DocumentFormat, DocumentOptions } from './options.js';

export const NEAR_JOB = 'near';

export interface NearJobOptions
  extends Pick<DocumentOptions, 'maxRecordBytes' | 'onError' | 'missingKey' | 'idKey' | 'state'> {
  format: DocumentFormat;
  near: NearOptions;
  /** Told of the run when it begins. */
  onBegin: (run: NearJobRun) => void;
}

export interface NearJobRun extends JobRun {
  observer: NearObserver;
  near: NearDetector;
}

/** The settings that are asked for, those not given taken from the state. @throws FirstseenError E_STATE_DIFFERS */
function settle({ near: asked, state }: NearJobOptions, saved: JobNote | undefined): SignatureSettings {
  if (saved?.name !== NEAR_JOB) return resolveSignature(asked);
  const found = differencesToNote(saved.settings, asked);
  if (found.length === 0) return resolveSignature({ ...saved.settings, ...asked });
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    `state ${state} was saved with other settings: ${found.join('; ')}; ask for the same, or name another state`,
  );
}

/** @throws FirstseenError E_USAGE when the eight bytes of a record would be taken for text. */
function checkBytes(format: DocumentFormat, { shingle, lsh }: SignatureSettings): void {
  if (format !== 'u64' || shingle === undefined) return;
  throw new FirstseenError(
    'E_USAGE',
    `records of format u64 are eight bytes each, but ${lsh.name} compares text; give --lsh bits, or --format files if each file is a document`,
  );
}

/** Parameters of the table follow from its rate, so it stands beside whatever else they follow from. */
function askedDetector(asked: NearOptions, settings: SignatureSettings) {
  const table = askedOfTable(tableOptions(asked), settings);
  const isPlanned = [asked.window, asked.fpr].some((value) => value !== undefined);
  return { ...table, ...(isPlanned ? { fpr: elementRate(settings) } : {}) };
}

/** The job, settled with what a state says of it. */
export function nearJob(options: NearJobOptions): NonNullable<Extension['job']> {
  const { near, maxRecordBytes } = options;
  return (saved, secret) => {
    const asked = secret === undefined ? near : { ...near, secret };
    const signature = settle(options, saved);
    checkBytes(options.format, signature);
    const table = () => resolveTable(tableOptions(asked), signature);
    return {
      name: NEAR_JOB,
      detector: askedDetector(asked, signature),
      settings: table,
      regionBytes: nearRegionBytes(signature, maxRecordBytes),
      begin: (detector, counts) => {
        const run = beginRun(options, signature, { detector, counts, saved });
        options.onBegin(run);
        return run;
      },
    };
  };
}

interface BeginRequest {
  detector: Detector;
  counts: RunCounts;
  saved: JobNote | undefined;
}

function beginRun(options: NearJobOptions, signature: SignatureSettings, request: BeginRequest): NearJobRun {
  const { detector, counts, saved } = request;
  const { format, maxRecordBytes, onError, missingKey, idKey } = options;
  const { kernel } = detector;
  const near = new NearDetector({ ...signature, table: detector.settings }, detector, maxRecordBytes);
  if (saved !== undefined) near.restore(saved.rest);
  const observer = new NearObserver({
    kernel,
    near,
    isFiles: format === 'files',
    isJson: format === 'ndjson',
    hasId: idKey !== undefined,
    maxRecordBytes,
    onError,
    missingKey,
    counts,
  });
  return {
    near,
    observer,
    regionOffset: near.regionOffset,
    annotator: annotator({ kernel, format, tells: tellsOf(signature), answers: () => observer.answers }),
    note: () => {
      const { observed, duplicates } = near.stats();
      return { name: NEAR_JOB, settings: noteOfSettings(signature), observed, duplicates, rest: near.note() };
    },
  };
}
