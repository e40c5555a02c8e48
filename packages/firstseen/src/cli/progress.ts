// The progress bar. It is shown only on a terminal, and never between records on the same terminal.

import { formatCount } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import { standardStreams } from '../io/system/standardstreams.js';
import type { RunProgress } from '../run/runoptions.js';

const SIZED_FORMAT =
  '{bar} {percentage}% | {read} of {size} | {records} records, {rate}/s | {duplicates} duplicates | {eta_formatted} left';
const UNSIZED_FORMAT = '{read} | {records} records, {rate}/s | {duplicates} duplicates | {duration_formatted}';
/** Chunks over which the remaining time is averaged. */
const ETA_CHUNKS = 200;

export interface ProgressOutputs {
  /** True if the user did not turn it off. */
  isWanted: boolean;
  /** True if the terminal cannot move its cursor, so that every update would be a line of its own. */
  isDumb: boolean;
  isErrorTerminal: boolean;
  isOutputTerminal: boolean;
  /** True if records go to a file. */
  hasOutputFile: boolean;
}

export function showsProgress({
  isWanted,
  isDumb,
  isErrorTerminal,
  isOutputTerminal,
  hasOutputFile,
}: ProgressOutputs): boolean {
  return isWanted && !isDumb && isErrorTerminal && (hasOutputFile || !isOutputTerminal);
}

/** The texts of the bar. */
export function progressWords(progress: RunProgress, seconds: number): Record<string, string> {
  return {
    read: formatBytes(progress.inputBytes),
    size: formatBytes(progress.inputTotalBytes ?? 0),
    records: formatCount(progress.records),
    rate: formatCount(seconds > 0 ? progress.records / seconds : 0),
    duplicates: formatCount(progress.duplicates),
  };
}

/** Seconds as the bar shows them; `?` for what is not a finite number, such as the time left before anything was read. */
export function formatSeconds(seconds: unknown): string {
  const whole = typeof seconds === 'number' ? Math.round(seconds) : Number.NaN;
  if (!Number.isFinite(whole)) return '?';
  const padded = (count: number) => String(count).padStart(2, '0');
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${padded(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${padded(Math.floor((whole % 3600) / 60))}m`;
}

export interface ProgressBar {
  update(progress: RunProgress): void;
  /** Removes the bar. */
  stop(): void;
}

/** A bar on standard error. It appears with the first update. */
export async function openProgress(): Promise<ProgressBar> {
  const { SingleBar } = (await import('cli-progress')).default;
  const startMilliseconds = performance.now();
  let bar: InstanceType<typeof SingleBar> | undefined;
  return {
    update(progress) {
      const words = progressWords(progress, (performance.now() - startMilliseconds) / 1000);
      if (bar === undefined) {
        bar = new SingleBar({
          stream: standardStreams().error,
          format: progress.inputTotalBytes === undefined ? UNSIZED_FORMAT : SIZED_FORMAT,
          barsize: 20,
          etaBuffer: ETA_CHUNKS,
          formatTime: formatSeconds,
          clearOnComplete: true,
        });
        bar.start(progress.inputTotalBytes ?? 0, progress.inputBytes, words);
      }
      bar.update(progress.inputBytes, words);
    },
    stop() {
      bar?.stop();
    },
  };
}
