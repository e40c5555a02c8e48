// The summary of a run over documents.

import { decisionOf } from '../../near/decision.js';
import type { NearSettings } from '../../near/settings.js';
import { formatShingle } from '../../near/shingle.js';
import type { RunStats } from '../../run/stats.js';
import type { DocumentStats, DocumentWindow, NearRunStats } from './documentoptions.js';
import type { NearJobRun } from './job.js';

function nearStats({ near, observer, watch }: NearJobRun): NearRunStats {
  const { lsh, variant, similarity, shingle, hashes, bands, rowsPerBand, agreeing, sets, add, fpr } = near.settings;
  const { verify, sketchBytes } = near.settings;
  const { observed, duplicates, sets: setsOpened } = near.stats();
  return {
    lsh: lsh.name,
    variant,
    similarity,
    shingle: shingle === undefined ? null : formatShingle(shingle),
    hashes,
    bands,
    rowsPerBand,
    agreeing,
    decision: decisionOf(near.settings).name,
    sketchBytes: verify ? sketchBytes : null,
    remembered: verify ? near.ring.documents : null,
    sets,
    setsOpened,
    add,
    tableFpr: fpr,
    documents: observed,
    duplicates,
    textBytes: observer.textBytes,
    blank: watch.blank.documents,
  };
}

/** The window that was asked for, in documents. A ring of sketches has exactly as many as were asked for. */
function windowOf({ verify, bands, table }: NearSettings): DocumentWindow | null {
  const { band, values } = table.parameters;
  if (verify) return values.W === undefined ? null : { fromDocuments: Number(values.W), toDocuments: Number(values.W) };
  if (band === undefined || 'fromMilliseconds' in band) return band ?? null;
  return { fromDocuments: Math.floor(band.fromElements / bands), toDocuments: Math.ceil(band.toElements / bands) };
}

/**
 * Makes the summary of records one of documents. Its `load` is a getter that scans the table, so it is not copied. The rates of the
 * witness are those of bands, which are not those of documents.
 */
export function documentStats(stats: RunStats, run: NearJobRun): DocumentStats {
  const { near } = run;
  return Object.assign(stats, {
    observed: near.observed,
    window: windowOf(near.settings),
    witness: null,
    near: nearStats(run),
  });
}
