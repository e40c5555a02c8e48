// One round of the rotation fuzz: a log is written to, rotated and read by runs with one state, some of which are killed. Then each
// line must be in the output once, and none may have been read twice.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type CommandResult, finished, startFirstseen } from '../../cli/support/command.js';
import { runCommand } from '../../cli/support/runner.js';
import { Random } from '../../support/streams.ts';
import { RotatedLog } from './log.ts';

export const modes = ['between', 'during', 'follow', 'overtaken'] as const;

/**
 * When the log is rotated: between runs, also during runs, while a run follows it, or between runs so that rotated files lack the last
 * lines that were read.
 */
export type Mode = (typeof modes)[number];

export interface RoundResult {
  /** What went wrong, and what happened before that; undefined if nothing did. */
  problem: string | undefined;
  lines: number;
  lost: number;
  /** Notices that something may be missing where nothing was. */
  falseAlarms: number;
  isInOrder: boolean;
  rotations: number;
  kills: number;
}

const ALARM = /may be missing|may be part of|cannot be told/;
/** Between the renaming of a log and its successor, there is no log. */
const NO_LOG = /cannot read app\.log: [^\n]*\[E_INPUT\]/;
const MAX_FOLLOW_MILLISECONDS = 5000;
const POLL_MILLISECONDS = 50;
/** A run takes about this long, so that kills and rotations hit every part of it. */
const RUN_MILLISECONDS = 300;

class Round {
  readonly #folder: string;
  readonly #random: Random;
  readonly #log: RotatedLog;
  readonly #output: string;
  readonly #history: string[] = [];
  #alarms = 0;
  #kills = 0;
  #failure: string | undefined;

  constructor(folder: string, seed: number, mode: Mode) {
    this.#folder = folder;
    this.#random = new Random(seed);
    this.#log = new RotatedLog(folder, this.#random);
    this.#output = mode !== 'follow' && this.#chance(4) ? 'out.gz' : 'out';
    this.#history.push(`${mode}: ${this.#log.description}`);
  }

  /** True once in so many times. */
  #chance(times: number): boolean {
    return this.#random.below(times) === 0;
  }

  get #args(): string[] {
    const outputs = ['-o', this.#output, '--duplicates-to', 'repeats'];
    return [this.#log.name, '--state', 's', '-m', '256KiB', '-a', 'exact', '--format', 'lines', ...outputs];
  }

  #write(): void {
    const counts = [1, 1, 20, 400];
    const count = counts[this.#random.below(counts.length)] as number;
    this.#log.write(count);
    this.#history.push(`wrote ${count}`);
  }

  /** Rotates once, or several times in a row. */
  #rotate(): void {
    const times = this.#chance(3) ? 2 + this.#random.below(2) : 1;
    for (let i = 0; i < times; i++) {
      this.#log.rotate();
      if (!this.#chance(4)) this.#log.write(1 + this.#random.below(5));
    }
    this.#history.push(`rotated ${times} times, ${this.#log.lines.length} lines`);
  }

  #noteEnd({ code, signal, stderr }: CommandResult): void {
    this.#history.push(`ended with ${code ?? signal}: ${stderr.trim()}`);
    if (ALARM.test(stderr)) this.#alarms++;
    const isExpected = code === 0 || code === 143 || signal !== null || NO_LOG.test(stderr);
    if (!isExpected) this.#failure ??= stderr.trim();
  }

  async #run(): Promise<void> {
    this.#noteEnd(await runCommand(this.#args, { cwd: this.#folder }));
  }

  /** A run during which the log is rotated, and which may be killed. */
  async #runRotating(): Promise<void> {
    const child = startFirstseen([...this.#args, '--checkpoint', '20ms'], { cwd: this.#folder });
    const ended = finished(child);
    if (!this.#chance(4)) {
      await sleep(this.#random.below(RUN_MILLISECONDS));
      this.#rotate();
    }
    if (this.#chance(3)) {
      await sleep(this.#random.below(RUN_MILLISECONDS));
      child.kill('SIGKILL');
      this.#kills++;
    }
    this.#noteEnd(await ended);
  }

  async #follow(): Promise<void> {
    const checkpoints = ['50ms', '300ms', '2s'];
    const checkpoint = checkpoints[this.#random.below(checkpoints.length)] as string;
    let run = this.#startFollowing(checkpoint);
    for (let step = 3 + this.#random.below(4); step > 0; step--) {
      this.#write();
      if (!this.#chance(3)) this.#rotate();
      if (this.#chance(3)) {
        await sleep(this.#random.below(2 * RUN_MILLISECONDS));
        run.child.kill('SIGKILL');
        this.#kills++;
        this.#noteEnd(await run.ended);
        if (this.#chance(2)) this.#write();
        if (this.#chance(2)) this.#rotate();
        run = this.#startFollowing(checkpoint);
      }
      await sleep([0, 100, 700][this.#random.below(3)]);
    }
    for (let waited = 0; waited < MAX_FOLLOW_MILLISECONDS && !this.#hasAll(); waited += POLL_MILLISECONDS) {
      await sleep(POLL_MILLISECONDS);
    }
    if (!this.#hasAll()) this.#history.push('not all lines came while it followed');
    run.child.kill('SIGTERM');
    this.#noteEnd(await run.ended);
  }

  async #overtaken(): Promise<void> {
    for (let step = 3 + this.#random.below(3); step > 0; step--) {
      this.#log.rotateOvertaken();
      this.#history.push(`rotated, overtaken, ${this.#log.lines.length} lines`);
      if (!this.#chance(4)) this.#write();
      if (this.#chance(3)) this.#rotate();
      // What the second run finds was written to the files that were not the newest while the first one looked.
      for (let i = 0; i < 2; i++) await this.#run();
    }
  }

  #startFollowing(checkpoint: string) {
    const child = startFirstseen([...this.#args, '--follow', '--checkpoint', checkpoint], { cwd: this.#folder });
    return { child, ended: finished(child) };
  }

  #hasAll(): boolean {
    return this.#linesOf(this.#output).length >= this.#log.lines.length + Math.min(1, this.#log.headers);
  }

  #linesOf(name: string): string[] {
    const path = join(this.#folder, name);
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    return text.split('\n').slice(0, -1);
  }

  async toEnd(mode: Mode): Promise<RoundResult> {
    // Without a state, a log that was rotated before it is not looked for. Some logs are empty, or have only their header, then.
    if (!this.#chance(4)) this.#write();
    await this.#run();
    if (mode === 'follow') await this.#follow();
    else if (mode === 'overtaken') await this.#overtaken();
    else {
      for (let step = 3 + this.#random.below(3); step > 0; step--) {
        if (!this.#chance(4)) this.#write();
        if (this.#chance(mode === 'between' ? 2 : 4)) this.#rotate();
        await (mode === 'between' ? this.#run() : this.#runRotating());
      }
    }
    // The second run finds what was written to the files that were not the newest while the first one looked.
    for (let i = 0; i < 2; i++) await this.#run();
    return this.#result();
  }

  #result(): RoundResult {
    const { lines, headers, rotations } = this.#log;
    const output = this.#linesOf(this.#output).filter((line) => !line.startsWith('#'));
    const repeats = this.#linesOf('repeats').filter((line) => !line.startsWith('#'));
    const written = new Set(lines);
    const found = new Set(output);
    const lost = lines.filter((line) => !found.has(line));
    const foreign = output.filter((line) => !written.has(line));
    const problems = [
      ...(this.#failure === undefined ? [] : [this.#failure]),
      ...(lost.length === 0 ? [] : [`${lost.length} lines lost: ${lost[0]} to ${lost.at(-1)}`]),
      ...(foreign.length === 0 ? [] : [`${foreign.length} lines that were never written: ${foreign.slice(0, 3)}`]),
      ...(found.size === output.length ? [] : [`${output.length - found.size} lines twice in the output`]),
      ...(repeats.length === 0 ? [] : [`${repeats.length} lines read twice: ${repeats[0]} to ${repeats.at(-1)}`]),
    ];
    const isHeaderLost = headers > 0 && this.#linesOf(this.#output).length === output.length;
    if (isHeaderLost) problems.push('the header is lost');
    return {
      problem: problems.length === 0 ? undefined : [...problems, ...this.#history].join('\n    '),
      lines: lines.length,
      lost: lost.length,
      falseAlarms: lost.length === 0 ? this.#alarms : 0,
      isInOrder: output.every((line, i) => line === lines[i]),
      rotations,
      kills: this.#kills,
    };
  }
}

/** @param folder an empty one */
export function rotationRound(folder: string, seed: number, mode: Mode): Promise<RoundResult> {
  return new Round(folder, seed, mode).toEnd(mode);
}
