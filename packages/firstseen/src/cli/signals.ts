// Signals: the first asks the run to stop at a point where it can continue later, the second ends the process at once.

const stopSignals = ['SIGINT', 'SIGTERM'] as const;

export type StopSignal = (typeof stopSignals)[number];

/** A signal ended the run before the end of its inputs. */
export class Interrupted extends Error {
  readonly signal: StopSignal;

  constructor(signal: StopSignal, message: string) {
    super(`stopped by ${signal} ${message}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }
}

export interface StopListener {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Starts to handle signals. Before, they end the process. */
  listen(): void;
  /** The signal that was received, if any. */
  received(): StopSignal | undefined;
  close(): void;
}

/** How long the process may stay after the end of a run, for example because of a named pipe that nobody opens. */
const GRACE_MILLISECONDS = 200;

export function stopListener(): StopListener {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (received !== undefined) {
      endAtOnce(signal as StopSignal);
      return;
    }
    received = signal as StopSignal;
    controller.abort();
  };
  const forget = (): void => {
    for (const signal of stopSignals) process.off(signal, stop);
  };
  /** The system ends the process, because `process.exit` would wait for blocked calls. */
  const endAtOnce = (signal: StopSignal): void => {
    forget();
    process.kill(process.pid, signal);
  };
  return {
    signal: controller.signal,
    listen() {
      for (const signal of stopSignals) process.on(signal, stop);
    },
    received: () => received,
    close() {
      forget();
      const signal = received;
      // If nothing is left to wait for, the process ends before that.
      if (signal !== undefined) setTimeout(() => endAtOnce(signal), GRACE_MILLISECONDS).unref();
    },
  };
}
