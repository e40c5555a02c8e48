/** A named part of a case: a file or a stream. */
export interface Block {
  readonly name: string;
  readonly line: number;
  readonly form: 'escaped' | 'pattern' | undefined;
  /** The path of the file that has the content. */
  readonly from: string | undefined;
  readonly bytes: Buffer;
}

export type Stream = Pick<Block, 'form' | 'from' | 'bytes'>;

/** A command, and what it has to write. */
export interface CaseRun {
  readonly args: readonly string[];
  readonly line: number;
  readonly stdout: Stream | undefined;
  readonly stderr: Stream | undefined;
  readonly code: number | undefined;
  readonly files: readonly Block[];
}

export interface CommandCase {
  readonly name: string;
  readonly line: number;
  /** A sentence that says what the case shows. */
  readonly about: string;
  /** Why it has several commands, if it has. */
  readonly several: string | undefined;
  /** The short form of the tests runs it as a process too. */
  readonly isProcess: boolean;
  readonly inputs: readonly Block[];
  readonly runs: readonly CaseRun[];
}

export interface CaseFile {
  readonly path: string;
  readonly intro: string;
  readonly cases: readonly CommandCase[];
}

export class CaseFileError extends Error {}

export function parseCases(text: string, path: string, readFile: (path: string) => Buffer | undefined): CaseFile;
export function caseText(one: CommandCase): string;
export function formatCases(file: Pick<CaseFile, 'intro' | 'cases'>): string;
