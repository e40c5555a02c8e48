// Settles the options of inputs: how far they were read, and how far they are read now.

import { finishedRunsAfter } from '../../checkpoint/finishedruns.js';
import type { RunNote } from '../../checkpoint/note.js';
import { checkHeldOutput, namesOfTorn, runToResume, type SavedRun, startsOf } from '../../checkpoint/resume.js';
import type { InputOrder, PartialPolicy } from '../../io/policies.js';
import type { OutputNote } from '../../io/sink.js';
import { order as orderOption } from '../../options/records.js';
import type { InputFindings, ResolvedInputs, ResolvedState } from '../resolved.js';
import type { InputOptions, StateOptions } from '../settled.js';
import type { RunRequest } from './request.js';

/** The order of the inputs, as states note it: none if it is the one in which they were given. */
export function notedOrder({ order }: InputOptions): InputOrder | undefined {
  return order === orderOption.default ? undefined : order;
}

/** Returns the policy for unfinished last records. An unfinished run goes on as it began, unless options differ. */
export function partialPolicy(
  { partial }: InputOptions,
  { state, isReadOnly }: StateOptions,
  resumes: RunNote | undefined,
): PartialPolicy {
  if (partial !== undefined) return partial;
  if (resumes && !resumes.isFinished) return resumes.partial;
  // No later run continues one that only reads the state.
  return state === undefined || isReadOnly ? 'record' : 'wait';
}

/** The parts of a resolved run that follow from its state. */
interface Resumption
  extends Pick<ResolvedInputs, 'sources' | 'starts' | 'isDone' | 'findings'>,
    Pick<ResolvedState, 'resumes' | 'finishedRuns'> {}

const noFindings: InputFindings = { replaced: [], undecided: [], unrecognized: [], torn: [] };

/** @throws FirstseenError as `runToResume`, or when a new run with a state would overwrite an output. */
export function resumption<Asked>(
  request: RunRequest<Asked>,
  saved: SavedRun | undefined,
  outputs: readonly OutputNote[],
): Resumption {
  const { options, format, sources, heldOutput, isBegun, areBegun } = request;
  const { isNewRun, isReadOnly, state } = options.state;
  const { isFollowing } = options.input;
  const order = notedOrder(options.input);
  const former = saved && runToResume(saved, { format, isNewRun, isReadOnly, isFollowing, order, sources, outputs });
  if (!former && state !== undefined && heldOutput && !isNewRun && !isBegun) {
    checkHeldOutput({ output: heldOutput, state, note: saved?.note, isReadOnly });
  }
  const finishedRuns = finishedRunsAfter(saved?.note, { resumes: former?.run, outputs, isBegun: areBegun });
  if (!former) return { resumes: undefined, sources, starts: [], isDone: false, finishedRuns, findings: noFindings };
  const starts = startsOf(former, format, isFollowing);
  const isDone = former.run.isFinished && starts.every((start) => start?.isRead);
  const { run, replaced, undecided, unrecognized } = former;
  const findings = { replaced, undecided, unrecognized, torn: namesOfTorn(former, format) };
  return { resumes: run, starts, sources: former.sources, isDone, finishedRuns, findings };
}
