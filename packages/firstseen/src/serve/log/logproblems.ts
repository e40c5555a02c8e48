// Tells an administrator when the log cannot be written, or is full and cannot be compacted, and when it can be written again: once each,
// however many changes are refused meanwhile.

/** Time without another refusal after which a change that did not fit counts no more: one as large may never come again. */
const REFUSAL_MILLISECONDS = 60_000;

/** A change that did not fit, while smaller ones do. */
interface Refusal {
  error: unknown;
  bytes: number;
  timer: NodeJS.Timeout;
}

export class LogProblems {
  readonly #onMessage: (message: string) => void;
  #refusal: Refusal | undefined;
  /** The problem of the file that was noted last, without a refusal. */
  #noted: unknown;
  /** Why the log stays at its limit. All changes are refused then. */
  #full: Error | undefined;
  #isTold = false;

  constructor(onMessage: (message: string) => void) {
    this.#onMessage = onMessage;
  }

  /** Why a change of late did not fit; undefined if there was none, or one that is as large has fit since. */
  get refusal(): unknown {
    return this.#refusal?.error;
  }

  /** Notes that a change that needs so many bytes did not fit. @returns the error */
  refuse(error: unknown, bytes: number): unknown {
    const leastBytes = Math.min(bytes, this.#refusal?.bytes ?? bytes);
    this.forgetRefusal();
    const end = () => {
      this.forgetRefusal();
      this.note(this.#noted);
    };
    this.#refusal = { error, bytes: leastBytes, timer: setTimeout(end, REFUSAL_MILLISECONDS).unref() };
    return error;
  }

  /** Notes that so many bytes fit. */
  fit(bytes: number): void {
    if (this.#refusal && bytes >= this.#refusal.bytes) this.forgetRefusal();
  }

  forgetRefusal(): void {
    clearTimeout(this.#refusal?.timer);
    this.#refusal = undefined;
  }

  /** Notes the problem of the file of the log; undefined if it has none. */
  note(noted: unknown): void {
    this.#noted = noted;
    this.#tell();
  }

  /** Notes why the log stays at its limit; undefined if changes are not refused for it. */
  noteFull(full: Error | undefined): void {
    this.#full = full;
    this.#tell();
  }

  #tell(): void {
    const problem = this.#noted ?? this.refusal ?? this.#full;
    if (this.#isTold === (problem !== undefined)) return;
    this.#isTold = problem !== undefined;
    const exception = this.#full === undefined ? ', except those that fit into the space reserved before' : '';
    const beginning = `the log cannot be written (${(problem as Error | undefined)?.message}): changes are refused${exception}`;
    this.#onMessage(this.#isTold ? beginning : 'the log can be written again: changes are no longer refused');
  }
}
