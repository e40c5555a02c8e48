// Counts documents that have nothing but blanks, which are equal to each other, and says at the end of a run that some were dropped.

import { formatCount, formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { NearAnswer } from '../../near/answer.js';

export class BlankDocuments {
  documents = 0;
  #dropped = 0;

  count({ verdict }: NearAnswer): void {
    this.documents++;
    if (verdict === 'duplicate') this.#dropped++;
  }

  /** The warning about blank documents that are duplicates; undefined if there are none. */
  warning(): FirstseenError | undefined {
    if (this.#dropped === 0) return undefined;
    const documents = formatCounted(this.documents, 'document');
    const problem = `${documents} have nothing but blanks: they are equal to each other, and ${formatCount(this.#dropped)} of them are duplicates`;
    return new FirstseenError('E_KEY_MISSING', problem, {
      option: 'textKey',
      remedy: phrase`if records should have text, look at ${optionName('textKey')}`,
    });
  }
}
