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
  /** The signal that came, if one did. */
  received(): StopSignal | undefined;
  close(): void;
}

export function listenForStop(): StopListener {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (received !== undefined) process.exit(exitCodes[signal as StopSignal]);
    received = signal as StopSignal;
    controller.abort();
  };
  for (const signal of stopSignals) process.on(signal, stop);
  return {
    signal: controller.signal,
    received: () => received,
    close() {
      for (const signal of stopSignals) process.off(signal, stop);
    },
  };
}
