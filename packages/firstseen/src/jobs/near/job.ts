// Near-duplicate detection as a job that a run does.

import type { Detector } from '../../detectors/detector.js';
import { FirstseenError } from '../../errors.js';
import { elementRate } from '../../near/decision.js';
import { NearDetector, nearRegionsEnd } from '../../near/detector.js';
import { differencesToNote, noteOfSettings } from '../../near/note.js';
import { type NearOptions, resolveSignature, type SignatureSettings, tableOptions } from '../../near/settings.js';
import { askedOfTable, resolveTable } from '../../near/tables.js';
import type { Job, JobNote, JobRun } from '../../run/job.js';
import type { FilledOptions } from '../../run/options.js';
import { annotator, tellsOf } from './annotate.js';
import { NearObserver } from './observer.js';
import type { DocumentFormat } from './options.js';

export interface NearJobOptions extends Pick<FilledOptions, 'maxRecordBytes' | 'onError' | 'missingKey' | 'state'> {
  format: DocumentFormat;
  /** Whether records are named by a key of their own. */
  hasId: boolean;
  near: NearOptions;
  /** Told of the job when it begins. */
  onBegin: (run: NearJobRun) => void;
}

/** The job under way, for the summary. */
export interface NearJobRun {
  near: NearDetector;
  observer: NearObserver;
}

/** The settings that are asked for, those not given taken from the state. @throws FirstseenError E_STATE_DIFFERS */
function settle({ near: asked, state }: NearJobOptions, saved: JobNote | undefined): SignatureSettings {
  if (saved?.name !== nearJob.name) return resolveSignature(asked);
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

/** Parameters of the table follow from its rate, so it is asked beside whatever else they follow from. */
function askedDetector(asked: NearOptions, settings: SignatureSettings) {
  const table = askedOfTable(tableOptions(asked), settings);
  const isPlanned = [asked.window, asked.fpr].some((value) => value !== undefined);
  return { ...table, ...(isPlanned ? { fpr: elementRate(settings) } : {}) };
}

interface BeginRequest {
  detector: Detector;
  signature: SignatureSettings;
  note: JobNote | undefined;
}

function begin(options: NearJobOptions, { detector, signature, note }: BeginRequest): JobRun {
  const { format, maxRecordBytes, onError, missingKey, hasId, onBegin } = options;
  const { kernel } = detector;
  const near = new NearDetector({ ...signature, table: detector.settings }, detector, maxRecordBytes);
  if (note !== undefined) near.restore(note.rest);
  const observer = new NearObserver({
    kernel,
    near,
    isFiles: format === 'files',
    isJson: format === 'ndjson',
    hasId,
    maxRecordBytes,
    onError,
    missingKey,
  });
  onBegin({ near, observer });
  return {
    observe: (count) => observer.observe(count),
    observeTimed: (count) => observer.observeTimed(count),
    advance: (timeMilliseconds) => observer.advance(timeMilliseconds),
    annotator: annotator({ kernel, format, tells: tellsOf(signature), answers: () => observer.answers }),
    note: () => {
      const { observed, duplicates } = near.stats();
      return { name: nearJob.name, settings: noteOfSettings(signature), observed, duplicates, rest: near.note() };
    },
  };
}

export const nearJob: Job<NearJobOptions> = {
  name: 'near',
  takes: 'spans',
  emissions: ['distinct', 'duplicates', 'verdicts', 'annotated'],
  resolve(options, { note, secret }) {
    const asked = secret === undefined ? options.near : { ...options.near, secret };
    const signature = settle(options, note);
    checkBytes(options.format, signature);
    return {
      detector: askedDetector(asked, signature),
      settings: () => resolveTable(tableOptions(asked), signature),
      regionsEnd: (offset) => nearRegionsEnd(signature, options.maxRecordBytes, offset),
      begin: (detector) => begin(options, { detector, signature, note }),
    };
  },
};
