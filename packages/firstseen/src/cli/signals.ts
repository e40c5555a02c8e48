// Ending at the user's wish: the first signal asks the run to stop where it can go on later, a second one ends at once.

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

const stopSignals = Object.keys(exitCodes) as StopSignal[];

/** A run that a signal ended before its inputs did. */
export class Interrupted extends Error {
  /** 128 and the signal's number, as shells have it. */
  readonly exitCode: number;

  constructor(signal: StopSignal, message: string) {
    super(`stopped by ${signal} ${message}`);
    this.name = 'Interrupted';
    this.exitCode = exitCodes[signal];
  }
}

export interface StopListener {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** From now on signals are heard; before, they end the process as they end any. */
  listen(): void;
  /** The signal that came, if one did. */
  received(): StopSignal | undefined;
  close(): void;
}

/** How long a run that has ended may still be held up, as by a named pipe that nobody opens at its other end. */
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
  /** Leaves it to the system: `process.exit` would wait for calls that block. */
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
      // Without anything left to wait for, the process ends before.
      if (signal !== undefined) setTimeout(() => endAtOnce(signal), GRACE_MILLISECONDS).unref();
    },
  };
}
