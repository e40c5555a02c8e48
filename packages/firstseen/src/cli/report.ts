// What a command reports in addition to its output: messages and a summary on standard error, and a summary in a file.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import { outputError } from '../io/sink.js';
import { requestOf } from '../io/sources.js';
import { linkedFile } from '../io/system/identity.js';
import { systemPath } from '../io/system/paths.js';
import type { ValuesOf } from '../options/filled.js';
import type { summaryOptions } from '../options/run.js';
import { checkApart, checkNames, type FileUse } from '../run/names.js';
import { type Ending, endingOf, type LogEntry, lineOf, noticeEntry, warningEntry } from './exit.js';
import { replaceFile, replacementPath } from './replacefile.js';
import { writeMessage } from './streams.js';

/** The values of the options of the report. */
export type ReportFlags = ValuesOf<(typeof summaryOptions)[number]>;

/** The formats of standard error. */
type Formats = Partial<Pick<ReportFlags, 'stats' | 'logFormat'>>;

/** The summary of a run in both forms. Each is made only when it is needed, because it may scan the whole memory. */
export interface Summary {
  text(): string;
  /** It contains the notices. */
  data(): object;
  /** The notices about the run, one sentence each. */
  notices?: readonly string[];
  /** True if the run had nothing to do; false by default. */
  isIdle?: boolean;
}

/**
 * The formats of standard error that the arguments ask for, for an error that the parser finds before it has read all of them.
 * Arguments after `--` are files.
 */
export function formatsAsked(args: readonly string[]): Formats {
  const separator = args.indexOf('--');
  const flags = separator === -1 ? args : args.slice(0, separator);
  const isJsonLog = flags.some(
    (arg, i) => arg === '--log-format=json' || (arg === 'json' && flags[i - 1] === '--log-format'),
  );
  return {
    ...(flags.includes('--stats=json') ? { stats: 'json' } : {}),
    ...(isJsonLog ? { logFormat: 'json' } : {}),
  };
}

/** The messages that a page about a run shows in addition to its summary. */
export interface RunMessages {
  warnings: readonly LogEntry[];
  notices: readonly LogEntry[];
  /** The message that ended the run, if there is one. */
  ending: LogEntry | undefined;
}

/** A file that is written at the end. */
interface ReportFile {
  path: string;
  contents: (ending: LogEntry | undefined) => string | Promise<string>;
}

export class Report {
  #formats: Formats;
  readonly #files: ReportFile[] = [];
  readonly #warnings: LogEntry[] = [];
  #summary: Summary | undefined;
  #afterwards = (): void => undefined;

  /** @param formats as far as they are known before the command line is parsed */
  constructor(formats: Formats) {
    this.#formats = formats;
  }

  /** Uses these formats from now on. */
  follow({ stats, logFormat }: ReportFlags): void {
    this.#formats = defined({ stats, logFormat });
  }

  /** Writes the summary, and the message of an error, to this file too. */
  writeTo(path: string): void {
    this.#files.push({ path, contents: (entry) => `${JSON.stringify(this.#data(entry))}\n` });
  }

  /** Writes a page about the run to this file. */
  writePageTo(path: string, pageOf: (messages: RunMessages) => Promise<string>): void {
    const notices = () => (this.#summary?.notices ?? []).map(noticeEntry);
    this.#files.push({
      path,
      contents: (ending) => pageOf({ warnings: this.#warnings, notices: notices(), ending }),
    });
  }

  warn(warning: FirstseenError): void {
    const entry = warningEntry(warning);
    this.#warnings.push(entry);
    this.#tell(entry);
  }

  /** Sets the summary, which is written at the end. */
  summarize(summary: Summary): void {
    this.#summary = summary;
  }

  /** Writes the summary of a run that goes on, as one line if messages or the summary are JSON. */
  tellSoFar(summary: Summary): void {
    const { stats, logFormat } = this.#formats;
    const isText = stats === undefined ? logFormat !== 'json' : stats === 'text';
    writeMessage(isText ? summary.text() : JSON.stringify(summary.data()));
  }

  /** Does something once everything is reported. */
  afterwards(action: () => void): void {
    this.#afterwards = action;
  }

  /** Writes the rest of the report; returns the exit code. */
  async end(ending: Ending): Promise<number> {
    const exitCode = await this.#end(ending);
    this.#afterwards();
    return exitCode;
  }

  async #end(ending: Ending): Promise<number> {
    const { exitCode, entry } = await this.#writeFiles(ending);
    if (this.#formats.stats === 'json') {
      if (this.#summary || entry || this.#warnings.length > 0) writeMessage(JSON.stringify(this.#data(entry)));
      return exitCode;
    }
    for (const notice of this.#summary?.notices ?? []) this.#tell(noticeEntry(notice));
    if (this.#summary && this.#formats.stats === 'text') writeMessage(this.#summary.text());
    if (entry) this.#tell(entry);
    return exitCode;
  }

  /** With --stats=json, standard error has one value, which contains the messages. */
  #tell(entry: LogEntry): void {
    if (this.#formats.stats === 'json') return;
    const isJson = this.#formats.logFormat === 'json';
    writeMessage(isJson ? JSON.stringify({ time: new Date().toISOString(), ...entry }) : lineOf(entry));
  }

  #data(entry: LogEntry | undefined): object {
    const summary = this.#summary?.data() ?? { interrupted: false, error: entry?.code ?? null };
    const failure = entry?.level === 'error' ? { error: entry.code } : {};
    return { ...summary, ...failure, warnings: this.#warnings, ending: entry ?? null };
  }

  /** A file that cannot be written is the error of a run that had none. */
  async #writeFiles(ending: Ending): Promise<Ending> {
    let last = ending;
    for (const file of this.#files) last = await this.#writeFile(file, last);
    return last;
  }

  async #writeFile({ path, contents }: ReportFile, ending: Ending): Promise<Ending> {
    if (!(this.#summary || ending.entry)) return ending;
    // What the last run did is worth more than that this one had nothing to do.
    if (this.#summary?.isIdle && ending.entry === undefined && existsSync(systemPath(path))) return ending;
    const text = await contents(ending.entry);
    try {
      await replaceFile(path, text);
      return ending;
    } catch (cause) {
      return ending.entry ? ending : endingOf(outputError(path, cause));
    }
  }
}

/**
 * Makes the report use the flags of the command.
 * @throws FirstseenError E_USAGE when messages are asked for as JSON, but the summary among them as text.
 */
export function followFlags(report: Report, flags: ReportFlags): void {
  report.follow(flags);
  const { stats, logFormat } = flags;
  if (logFormat !== 'json' || stats !== 'text') return;
  throw new FirstseenError('E_USAGE', '--log-format json and --stats=text ask for two formats on standard error', {
    option: '--stats',
    given: stats,
    expected: 'json',
    remedy: 'give --stats=json, or leave --log-format out',
  });
}

/** The files that a report is written to, by their options. */
type WrittenReports = Pick<ReportFlags, 'statsTo' | 'report'>;

/**
 * Checks the files that a report is written to.
 * @param runFiles the files of the run
 * @throws FirstseenError E_USAGE when one of them is a file of the run or another of them, E_OUTPUT when one cannot be created.
 */
export function checkReports(reports: WrittenReports, runFiles: readonly (string | undefined)[]): void {
  const uses = runFiles
    .filter((file) => file !== undefined)
    .map((file): FileUse => [requestOf(file), 'a file of this run']);
  checkNames(reports);
  for (const path of Object.values(reports) as string[]) {
    checkApart(uses, [path, replacementPath(path)]);
    checkFolderOf(path);
    uses.push([requestOf(path), 'another output or the state']);
  }
}

/** @throws FirstseenError E_OUTPUT when no file can be created in the folder of the file, so that a run fails at its start. */
function checkFolderOf(path: string): void {
  const file = linkedFile(path);
  const found = statSync(systemPath(file), { throwIfNoEntry: false });
  if (found && !found.isFile()) return;
  try {
    accessSync(systemPath(dirname(file)), constants.W_OK);
  } catch (cause) {
    throw outputError(path, cause);
  }
}
