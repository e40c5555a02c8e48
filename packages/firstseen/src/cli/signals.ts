// Signals: the first asks the run to stop at a point where it can continue later, the second ends the process at once.

import { closeSync, openSync } from 'node:fs';
import { constants, devNull } from 'node:os';
import { outputDescriptor } from '../io/system/standardstreams.js';

const stopSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** Asks for the summary so far. bin/firstseen.js ignores it outside of runs. */
const STATS_SIGNAL = 'SIGUSR1';

export type StopSignal = (typeof stopSignals)[number];

/** A signal ended the run before the end of its inputs. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly signal: StopSignal;

  constructor(signal: StopSignal, message: string) {
    super(`stopped by ${signal} ${message}`);
    this.signal = signal;
  }
}

export interface StopListener {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Starts to handle signals. Before, they end the process. */
  listen(): void;
  /** Leaves a signal to others. */
  leave(signal: StopSignal): void;
  /** The signal that was received, if any. */
  received(): StopSignal | undefined;
  close(): void;
}

/**
 * The time for which the process may stay after everything is reported, for example because of a named pipe that nobody
 * opens.
 */
const GRACE_MILLISECONDS = 1000;

/** The first process of a container, to which the system sends no signal that it does not handle. */
const FIRST_PROCESS = 1;
/** The descriptor of standard error. */
const STDERR = 2;

/** The system ends the process, because `process.exit` would wait for blocked calls. */
function endAtOnce(signal: StopSignal): void {
  if (process.pid === FIRST_PROCESS) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}

/** Aborts, which ends the process also while a thread is blocked. */
function abort(): never {
  // Node writes a trace, which would look like a crash: it goes nowhere.
  closeSync(STDERR);
  openSync(devNull, 'w');
  process.abort();
}

/**
 * Ends a process that has done its work, unless it ends by itself because nothing is left to wait for.
 * @param signal ends it. The first process of a container aborts instead, because the system ignores signals that this process sends to itself
 */
export function endSoon(signal: StopSignal | 'SIGKILL', milliseconds: number = GRACE_MILLISECONDS): void {
  const end = () => {
    if (process.pid === FIRST_PROCESS) abort();
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  setTimeout(end, milliseconds).unref();
}

/** Ends a process that has done its work with its exit code, if nobody reads what it has written to a full pipe. */
export function endUnread(): void {
  if (outputDescriptor() === undefined) return;
  const end = () => {
    const isUnread = [process.stdout, process.stderr].some(({ writableLength }) => writableLength > 0);
    // Otherwise what keeps the process may be a call that never returns, for which this would wait.
    if (isUnread) process.exit();
  };
  setTimeout(end, GRACE_MILLISECONDS).unref();
}

/** Listens for signals that ask to stop. */
export function stopListener(): StopListener {
  const controller = new AbortController();
  let firstSignal: StopSignal | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (firstSignal !== undefined) {
      // When a terminal closes, both the system and the shell may send it. systemd sends it after SIGTERM.
      if (signal === 'SIGHUP') return;
      forget();
      endAtOnce(signal as StopSignal);
      return;
    }
    firstSignal = signal as StopSignal;
    controller.abort();
  };
  const forget = (): void => {
    for (const signal of stopSignals) process.off(signal, stop);
  };
  return {
    signal: controller.signal,
    listen() {
      for (const signal of stopSignals) process.on(signal, stop);
    },
    leave: (signal) => void process.off(signal, stop),
    received: () => firstSignal,
    close: forget,
  };
}

/** Calls a function at each signal that asks for the summary so far, until the returned function is called. */
export function onStatsSignal(report: () => void): () => void {
  process.on(STATS_SIGNAL, report);
  return () => process.off(STATS_SIGNAL, report);
}
