// Collects the facts that the page of --report shows of a run.

import type { RunReview } from '../review/facts.js';
import type { RunMessages } from './report.js';
import type { AnyRunStats } from './summary.js';

export class RunPage {
  /** The summary; undefined as long as the run has none. */
  stats: AnyRunStats | undefined;
  readonly #command: string;
  #review: RunReview | undefined;

  /** @param command the command without its options */
  constructor(command: string) {
    this.#command = command;
  }

  /** The listener of the run. */
  readonly onReview = (review: RunReview): void => {
    this.#review = review;
  };

  /** The page. What makes it is loaded now, because most runs have none. */
  async html(messages: RunMessages): Promise<string> {
    const { reportOfRun } = await import('./reportpage/ofrun.js');
    return reportOfRun({ command: this.#command, stats: this.stats, review: this.#review, messages });
  }
}
