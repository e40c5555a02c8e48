// Warns, once each, when documents are too short for their shingles, when blank ones are duplicates, when most of them share text that does
// not make them similar, when a table that forgets nothing is past its capacity, and when a table of sketches has forgotten documents.

import { formatCount, formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Detector } from '../../detectors/detector.js';
import type { NearAnswer } from '../../near/answer.js';
import { elementRate } from '../../near/decision.js';
import type { NearDetector } from '../../near/detector.js';
import { formatShingle, type Shingle } from '../../near/shingle.js';
import { OverloadWatch, pastCapacity } from '../../plan/overload.js';
import type { ReportOptions } from '../../run/settled.js';
import { BoilerplateWatch, boilerplateWarning } from './boilerplate.js';
import { addedDocuments, forgottenWarning } from './forgotten.js';

/** Documents that have nothing but blanks, which are equal to each other: says at the end of a run that some were dropped. */
class BlankDocuments {
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

/** The documents whose shingles are counted. */
const FIRST_DOCUMENTS = 1000;
/** A run that ends before that warns if it had this many. */
const MIN_DOCUMENTS = 100;

function tooShort(shingle: Shingle, short: number, documents: number): FirstseenError {
  const given = formatShingle(shingle);
  const found = `${formatCount(short)} of the first ${formatCount(documents)} documents have at most one shingle`;
  const problem = phrase`${optionName('shingle')} ${given} is too long: ${found}, so only equal ones are near`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: 'shingle',
    given,
    remedy: phrase`give a shorter one, such as ${optionName('shingle')} 1w or 4c`,
  });
}

export interface NearWatchOptions {
  near: NearDetector;
  /** The table of bands, if its rate is watched. */
  table: Detector | undefined;
  onWarning: ReportOptions['onWarning'];
}

export class NearWatch {
  readonly blank = new BlankDocuments();
  readonly #options: NearWatchOptions;
  readonly #overload: OverloadWatch | undefined;
  readonly #boilerplate: BoilerplateWatch | undefined;
  readonly #addedBefore: number;
  #documents = 0;
  #short = 0;
  #isSettled: boolean;

  constructor(options: NearWatchOptions) {
    const { near, table, onWarning } = options;
    const { settings } = near;
    this.#options = options;
    this.#addedBefore = addedDocuments(near);
    this.#isSettled = onWarning === undefined || settings.shingle === undefined;
    if (onWarning === undefined) return;
    const { verify, similarity } = settings;
    if (verify) {
      this.#boilerplate = new BoilerplateWatch((...counts) => onWarning(boilerplateWarning(...counts, similarity)));
    }
    if (table === undefined) return;
    this.#overload = new OverloadWatch(table, {
      targetFpr: elementRate(settings),
      onWarning,
      errorOf: () => pastCapacity({ count: near.observed, name: 'documents', holder: 'table' }, settings.fpr),
    });
  }

  /** Called before a document is observed. */
  look(): void {
    const { table } = this.#options;
    if (this.#overload && (table as Detector).observed >= this.#overload.withinElements) this.#overload.elementsAhead();
  }

  /** Called with the answer for the document, before the next one is signed. */
  answered(answer: NearAnswer): void {
    const { near } = this.#options;
    const isOfText = near.settings.shingle !== undefined;
    if (isOfText && near.shingles === 0) this.blank.count(answer);
    this.#boilerplate?.count(answer);
    if (this.#isSettled) return;
    this.#documents++;
    if (near.shingles <= 1) this.#short++;
    if (this.#documents === FIRST_DOCUMENTS) this.#settle();
  }

  /** Called when no more documents follow. */
  finish(): void {
    this.#boilerplate?.finish();
    if (!this.#isSettled && this.#documents >= MIN_DOCUMENTS) this.#settle();
    const blank = this.blank.warning();
    if (blank) this.#options.onWarning?.(blank);
    this.#tellForgotten();
  }

  /** A run that added nothing has forgotten nothing. */
  #tellForgotten(): void {
    const { near, onWarning } = this.#options;
    if (!near.settings.verify || addedDocuments(near) === this.#addedBefore) return;
    const warning = forgottenWarning(near);
    if (warning) onWarning?.(warning);
  }

  #settle(): void {
    const { near, onWarning } = this.#options;
    this.#isSettled = true;
    if (2 * this.#short <= this.#documents) return;
    onWarning?.(tooShort(near.settings.shingle as Shingle, this.#short, this.#documents));
  }
}
