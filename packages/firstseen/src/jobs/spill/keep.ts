// Which record of each key is kept, as an option says it.

import { invalidOption } from '../../base/errors.js';

export interface Keep {
  rule: 'first' | 'last' | 'max' | 'min';
  /** The field whose greatest or least value is kept, written like a key. */
  field?: string;
}

/** @throws FirstseenError E_USAGE for a text that says none. */
export function parseKeep(text: unknown): Keep {
  if (text === 'first' || text === 'last') return { rule: text };
  const [, rule, field] = (typeof text === 'string' && /^(max|min):(.+)$/s.exec(text)) || [];
  if (rule !== undefined && field !== undefined) return { rule: rule as 'max' | 'min', field };
  const expected = 'first, last, max:FIELD or min:FIELD';
  throw invalidOption({ code: 'E_USAGE', option: 'keep', given: text, expected });
}
