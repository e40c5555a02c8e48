// Checks of what must hold in production, in places where a wrong state would lose data.

import { FirstseenError, shownValue } from './errors.js';

const remedy =
  'stop, keep the files as they are, and report this message at https://github.com/firstseen/firstseen/issues: it is a defect of firstseen, ' +
  'unless memory or a disk is damaged. Nothing was written after it, and what was saved before is as it was';

/**
 * Checks a rule that no input and no option can break, before something is written that would lose data if it were broken.
 * @param rule a sentence that must be true
 * @param values the values that decide it, by their names
 * @throws FirstseenError E_INVARIANT unless the rule holds
 */
export function assertInvariant(
  holds: boolean,
  rule: string,
  values: Readonly<Record<string, unknown>>,
): asserts holds {
  if (holds) return;
  const shown = Object.entries(values).map(([name, value]) => `${name} is ${shownValue(value)}`);
  throw new FirstseenError('E_INVARIANT', `${rule}, but ${shown.join(', ')}`, { remedy });
}
