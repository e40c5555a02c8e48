// What a run reports in addition to its counts.

import { formatCounted, formatPercent } from '../base/count.js';
import type { Overload } from '../detectors/ratewatch.js';
import { bandText } from '../plan/text.js';
import type { ElementName } from './job.js';
import type { InputFindings } from './resolved.js';
import type { RunStats } from './stats.js';

export interface NoticesRequest extends InputFindings {
  /** True if the run has nothing to do. */
  isDone: boolean;
  /** The names of replaced inputs that are not logs, such as folders of documents. No other file has what was read of them. */
  changed: ReadonlySet<string>;
  /** The inputs that end inside a record, and the bytes of it. */
  waiting: ReadonlyMap<string, number>;
  /** The notice about rows that were dropped because their quotes are not closed, if there are any. */
  broken: string | undefined;
  /** The notice about the parts of damaged inputs that were left out, if there are any. */
  damaged: string | undefined;
  /** Elements that the window of the detector had no room for in this run. */
  unstored: number;
  /** Generations that left the window early in this run. */
  shortened: number;
  /** The name of elements in this run. */
  elementName: ElementName;
  /** The statistics of the detector. */
  detector: Pick<RunStats, 'witness' | 'window' | 'observed'>;
  /** The records that passed because of their types, if they were all. */
  notCompared: number;
  /** Set if the detector exceeds its target, and the run went on. */
  overload: Overload | null;
}

/** Returns the notice about the share of new elements that were lost. */
function overloadNotice({ evidence, fpr, targetFpr }: Overload): string {
  const [found, target] = [Number(fpr.toPrecision(2)), Number(targetFpr.toPrecision(3))];
  const rate = `the ${evidence} rate of false positives is ${found}, above the target ${target}`;
  return `${rate}: about that share of the new elements was reported as duplicates; use more memory or a higher rate`;
}

/** The share of late duplicates from which on they are told. */
const TOLD_LATE_SHARE = 0.001;

/** The records that were dropped although the window had ended before them, if they are not few. */
function lateNotice({ witness, window, observed }: NoticesRequest['detector']): string | undefined {
  const share = witness?.lateDuplicateRate?.estimate ?? 0;
  if (window === null || share < TOLD_LATE_SHARE) return undefined;
  const dropped = `${formatCounted(Math.round(share * observed), 'record')} (${formatPercent(share)})`;
  return `the window dropped about ${dropped} after its end: it is ${bandText(window)}; choose a smaller slack, or an exact window`;
}

function notComparedNotice(count: number): string {
  return `no record was compared: the ${formatCounted(count, 'record')} of other types passed; choose the types to compare`;
}

function unstoredNotice(unstored: number, name: ElementName): string {
  const passed = name === 'element' ? ', passed and' : ' and';
  const found = `${formatCounted(unstored, name)} found no room in the window${passed} ${unstored === 1 ? 'was' : 'were'} not stored`;
  return `${found}, so repeats may have passed too; give more memory or a shorter window`;
}

function shortenedNotice(shortened: number): string {
  const left = `${formatCounted(shortened, 'generation')} left the window early, because there were more elements than it has room for`;
  return `${left}, so repeats may have passed; give more memory or a shorter window`;
}

export function noticesOf(request: NoticesRequest): string[] {
  const { isDone, replaced, changed, undecided, unrecognized, torn, waiting, broken, unstored, overload } = request;
  const notices: string[] = [];
  if (isDone)
    notices.push('this run was finished before, and its inputs have not changed; the outputs are left as they are');
  for (const name of replaced) {
    notices.push(
      changed.has(name)
        ? `${name} is not what it was when it was last read: all of it was read again, and what was kept before counts as a repeat`
        : `${name} was replaced since it was last read, and no file has all that was read of it: records written after that may be missing, and a copy that lacks more than its last lines is read again; if the file still exists, give it as an input before ${name}`,
    );
  }
  for (const name of undecided) {
    notices.push(
      `it cannot be told whether ${name} is a copy of the file that was read, or a new one that begins with the same bytes: it is read on after them; if the old file still exists, give it as an input before ${name}`,
    );
  }
  for (const { log, paths } of unrecognized) {
    notices.push(
      `${paths.join(', ')} may be part of ${log} and was not read, because its name does not tell that; if it is, give it as an input before ${log}`,
    );
  }
  for (const name of torn) {
    notices.push(
      `${name} was written to after its unfinished last record was passed on; the rest of it is another record`,
    );
  }
  for (const [name, bytes] of waiting) {
    notices.push(`${name} ends inside a record; its last ${formatCounted(bytes, 'byte')} wait for the next run`);
  }
  for (const lost of [broken, request.damaged]) if (lost !== undefined) notices.push(lost);
  if (request.notCompared > 0) notices.push(notComparedNotice(request.notCompared));
  if (unstored > 0) notices.push(unstoredNotice(unstored, request.elementName));
  if (request.shortened > 0) notices.push(shortenedNotice(request.shortened));
  const late = lateNotice(request.detector);
  if (late !== undefined && !isDone) notices.push(late);
  if (overload !== null && !isDone) notices.push(overloadNotice(overload));
  return notices;
}
