// The options of a plan are those of a detector that say what is known of its stream.

import { FirstseenError } from '../../base/errors.js';
import { parseElements } from '../../options/values.js';
import type { CreateOptions } from '../../plan/keys.js';
import type { AdviceOptions } from '../planning/planning.js';

/** @throws FirstseenError E_PARAMETER for a duration, in which any number of elements may come. */
function windowElementsOf(window: CreateOptions['window']): number | undefined {
  return window === undefined ? undefined : parseElements(String(window), 'WINDOW');
}

/** @throws FirstseenError E_USAGE for an option that the planner does not take; E_PARAMETER for a window that is a time */
export function adviceOptionsOf(options: CreateOptions): AdviceOptions {
  const { memory, fpr, layout, distinctElements, lengthElements, gapsElements, window, windowSlack, ...others } =
    options;
  const [unplanned] = Object.keys(others);
  if (unplanned !== undefined) {
    throw new FirstseenError('E_USAGE', `the planner does not take ${unplanned}`, { remedy: 'leave it out' });
  }
  const hints = { memory, fpr, layout, distinctElements, lengthElements, gapsElements, windowSlack };
  return Object.fromEntries(
    Object.entries({ ...hints, windowElements: windowElementsOf(window) }).filter(([, value]) => value !== undefined),
  );
}
