// A delivery in progress. Its stream can give it up and then no longer waits for it. It uses no file and no `node:` module.

/** The argument of a delivery besides its item. */
export interface DeliveryContext {
  /**
   * Aborted when the stream gives the delivery up: after its `timeout`, when the `signal` of the stream is aborted, and when the stream
   * is closed early by `return`, `cancel` or `destroy`. Its reason says which.
   */
  readonly signal: AbortSignal;
}

export interface Attempt {
  /** Settles as the delivery does, or rejects with the reason for which it was given up. */
  readonly outcome: Promise<unknown>;
  isGivenUp(): boolean;
  /** Aborts the signal of the delivery, which nobody waits for any longer. Does nothing after its outcome. */
  giveUp(reason: unknown): void;
}

export interface AttemptOptions {
  /** The time after which the delivery is given up, if there is one, and a function that makes the reason. */
  timeout: { milliseconds: number; reason: () => unknown } | undefined;
  /** Called if the delivery succeeds after it was given up. */
  onLate: () => void;
}

/** Begins a delivery at once. An error that it throws before it returns rejects the outcome too. */
export function attempt(
  deliver: (context: DeliveryContext) => PromiseLike<unknown>,
  { timeout, onLate }: AttemptOptions,
): Attempt {
  const controller = new AbortController();
  const { signal } = controller;
  let giveUp = (_reason: unknown): void => undefined;
  const outcome = new Promise<unknown>((resolve, reject) => {
    let isOpen = true;
    const close = () => {
      isOpen = false;
      clearTimeout(timer);
    };
    giveUp = (reason) => {
      if (!isOpen) return;
      close();
      reject(reason);
      controller.abort(reason);
    };
    const timer = timeout && setTimeout(() => giveUp(timeout.reason()), timeout.milliseconds);
    const delivering = (async () => deliver({ signal }))();
    delivering.then(
      (value) => {
        if (!isOpen) return onLate();
        close();
        resolve(value);
      },
      (error) => {
        close();
        reject(error);
      },
    );
  });
  return { outcome, isGivenUp: () => signal.aborted, giveUp: (reason) => giveUp(reason) };
}
