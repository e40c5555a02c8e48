// The rule that chooses the kept document of a cluster, as an option gives it, and the options that do not go with it.

import { FirstseenError, invalidOption, optionName, phrase } from '../../base/errors.js';
import type { SignatureSettings } from '../../near/settings.js';
import { type Keep, parseKeep } from '../spill/keep.js';
import type { DocumentOptions } from './documentoptions.js';

export interface DocumentKeep extends Omit<Keep, 'rule'> {
  rule: Exclude<Keep['rule'], 'first'> | 'longest';
}

/** The words for the time of a document, which only its fields have. */
const ages: readonly unknown[] = ['newest', 'latest', 'oldest'];

function invalidKeep(text: unknown): FirstseenError {
  const expected = 'first, last, longest, max:FIELD or min:FIELD';
  const error = invalidOption({ code: 'E_USAGE', option: 'keep', given: text, expected });
  if (!ages.includes(text)) return error;
  return new FirstseenError('E_USAGE', error.data.problem, {
    ...{ option: 'keep', given: text, expected },
    remedy: phrase`give ${optionName('keep')} ${text === 'oldest' ? 'min' : 'max'}:FIELD with the field that has the time`,
  });
}

/** The rule of a text; undefined for the first document. @throws FirstseenError E_USAGE for a text that says none. */
export function parseDocumentKeep(text: unknown): DocumentKeep | undefined {
  if (text === undefined) return undefined;
  if (text === 'longest') return { rule: text };
  try {
    const { rule, field } = parseKeep(text);
    return rule === 'first' ? undefined : { rule, ...(field !== undefined && { field }) };
  } catch {
    throw invalidKeep(text);
  }
}

/** Finds an option that needs what is known only while documents are compared, or that needs a single reading. */
function hindrance(options: DocumentOptions): readonly [option: string, given: unknown, why: string] | undefined {
  const { emit, annotate, state, isFollowing, onReview } = options;
  const names = 'but the kept document is known only after all others are compared';
  if (isFollowing) return ['isFollowing', true, 'but the inputs are read twice, so they must end'];
  if (state !== undefined) return ['state', state, 'but what an earlier run has written cannot be taken back'];
  if (annotate !== undefined) return ['annotate', annotate, names];
  if (onReview !== undefined) return ['onReview', undefined, names];
  return emit === 'annotated' || emit === 'attributes' ? ['emit', emit, names] : undefined;
}

function refuse(option: string, given: unknown, keep: unknown, why: string): never {
  const kept = phrase`${optionName('keep')} ${String(keep)}`;
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given with ${kept}, ${why}`, {
    ...{ option, given },
    remedy: phrase`leave ${optionName(option)} or ${optionName('keep')} out`,
  });
}

/** @throws FirstseenError E_USAGE for options that a run cannot take which keeps another document than the first. */
export function checkKept(options: DocumentOptions): void {
  if (parseDocumentKeep(options.keep) === undefined) return;
  const found = hindrance(options);
  if (found) refuse(found[0], found[1], options.keep, found[2]);
}

/**
 * A cluster has one first document, to which all others are near. A table of bands does not know it.
 * @throws FirstseenError E_USAGE for documents that belong to no cluster.
 */
export function checkClusters(keep: DocumentKeep | undefined, { verify, add }: SignatureSettings): void {
  if (keep === undefined) return;
  if (add === 'all') refuse('add', add, keep.rule, 'but then documents are near to ones that are not kept');
  if (verify) return;
  const problem = phrase`${optionName('keep')} ${keep.rule} chooses among documents that are near to the same one, but documents are not verified`;
  throw new FirstseenError('E_USAGE', problem, {
    ...{ option: 'keep', given: keep.rule },
    remedy: phrase`leave out ${optionName('verify')} and options that only tables of bands have, or ${optionName('keep')}`,
  });
}
