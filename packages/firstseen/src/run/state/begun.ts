// Beside a state, a note of the run that has begun to write to its outputs since the state was saved. After a crash, it tells what
// the outputs hold besides that: only what the same run writes again.

import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { defined } from '../../defined.js';
import { FirstseenError } from '../../errors.js';
import type { Source } from '../input/contract.js';
import type { Emission } from '../options.js';
import type { OutputNote } from '../output/contract.js';
import { systemPath } from '../paths.js';
import { systemDetails, systemProblem } from '../systemproblem.js';

export function begunPath(state: string): string {
  return `${state}.begun`;
}

/** A run that begins. */
export interface BeginningRun {
  sources: readonly Source[];
  outputs: readonly OutputNote[];
  emit: Emission;
  annotate?: string | undefined;
}

interface BegunNote {
  inputs: string[];
  outputs: (string | null)[];
  emit: Emission;
  annotate?: string;
}

function noteOf({ sources, outputs, emit, annotate }: BeginningRun): BegunNote {
  return {
    inputs: sources.map(({ note }) => note.realPath ?? note.path),
    outputs: outputs.map(({ path, realPath }) => realPath ?? path),
    emit,
    ...defined({ annotate }),
  };
}

function readNote(state: string): Partial<BegunNote> {
  try {
    return JSON.parse(readFileSync(systemPath(begunPath(state)), 'utf8')) as Partial<BegunNote>;
  } catch {
    return {};
  }
}

/** Whether a run with these outputs, and with one of these inputs, began and did not save the state after that. */
export function isBegun(state: string, run: BeginningRun): boolean {
  const { inputs = [], outputs, emit, annotate } = readNote(state);
  const now = noteOf(run);
  const writesSame = emit === now.emit && annotate === now.annotate;
  const isSame = writesSame && JSON.stringify(outputs) === JSON.stringify(now.outputs);
  return isSame && now.inputs.some((input) => inputs.includes(input));
}

async function writeNote(file: FileHandle, note: BegunNote): Promise<void> {
  try {
    await file.writeFile(JSON.stringify(note));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Notes that a run begins, unless it writes to no file. The note is removed when the state is saved.
 * @throws FirstseenError E_STATE_FILE when it cannot be written.
 */
export async function noteBegun(state: string, run: BeginningRun): Promise<void> {
  if (run.outputs.every(({ path }) => path === null)) return;
  const path = begunPath(state);
  try {
    await writeNote(await open(systemPath(path), 'w', 0o600), noteOf(run));
  } catch (cause) {
    const { problem } = systemProblem(cause, 'write');
    throw new FirstseenError('E_STATE_FILE', `cannot write ${path}: ${problem}`, systemDetails(cause, 'write'));
  }
}
