// Tells an administrator when the log cannot be written, and when it can be again: once each, however many changes are refused meanwhile.

export class LogProblems {
  readonly #onMessage: (message: string) => void;
  #hasProblem = false;

  constructor(onMessage: (message: string) => void) {
    this.#onMessage = onMessage;
  }

  /** Notes the problem of the log; undefined if it has none. */
  note(problem: unknown): void {
    if (this.#hasProblem === (problem !== undefined)) return;
    this.#hasProblem = problem !== undefined;
    const beginning = `the log cannot be written (${(problem as Error | undefined)?.message}): changes are refused, except those that fit into the space reserved before`;
    this.#onMessage(this.#hasProblem ? beginning : 'the log can be written again: changes are no longer refused');
  }
}
