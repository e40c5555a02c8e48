// Beside a state, notes of the runs that have begun to write to their outputs since the state was saved for them. After a crash,
// they show that the outputs may hold more than the state says, which the same run writes again. Another run with the state leaves
// them.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { defined } from '../base/defined.js';
import { FirstseenError } from '../base/errors.js';
import type { Emission, InputOrder } from '../io/policies.js';
import type { OutputNote } from '../io/sink.js';
import { type InputNote, nameOf, type Source } from '../io/source.js';
import { systemPath } from '../io/system/paths.js';
import { systemDetails, systemProblem } from '../io/system/systemproblem.js';
import { replaceBeside } from './part.js';

/** The number of runs that are noted. */
const MAX_RUNS = 1024;

export function begunPath(state: string): string {
  return `${state}.begun`;
}

/** A run that begins. */
export interface BeginningRun {
  sources: readonly Source[];
  outputs: readonly OutputNote[];
  emit: Emission;
  annotate?: string | undefined;
  /** The order of its inputs, unless it is the one in which they were given. */
  order?: InputOrder | undefined;
}

interface BegunNote {
  inputs: string[];
  outputs: (string | null)[];
  emit: Emission;
  annotate?: string;
  order?: InputOrder;
}

/** The name by which an input is known. */
export function knownName(note: InputNote): string {
  return note.realPath ?? nameOf(note);
}

function pathsOf(outputs: readonly OutputNote[]): (string | null)[] {
  return outputs.map(({ path, realPath }) => realPath ?? path);
}

function noteOf({ sources, outputs, emit, annotate, order }: BeginningRun): BegunNote {
  return {
    inputs: sources.map(({ note }) => knownName(note)),
    outputs: pathsOf(outputs),
    emit,
    ...defined({ annotate, order }),
  };
}

/** Tells if a note is that of a run with one of these outputs. Standard output may be another file each time. */
function hasOutputOf({ outputs = [] }: Partial<BegunNote>, others: readonly OutputNote[]): boolean {
  return pathsOf(others).some((path) => path !== null && outputs.includes(path));
}

function readNotes(state: string): Partial<BegunNote>[] {
  try {
    return [JSON.parse(readFileSync(systemPath(begunPath(state)), 'utf8'))].flat() as Partial<BegunNote>[];
  } catch {
    return [];
  }
}

/** @throws FirstseenError E_STATE_FILE when the notes cannot be written. */
async function writeNotes(state: string, notes: readonly Partial<BegunNote>[]): Promise<void> {
  const path = begunPath(state);
  try {
    if (notes.length === 0) await rm(systemPath(path), { force: true });
    else await replaceBeside(state, path, JSON.stringify(notes));
  } catch (cause) {
    const { problem } = systemProblem(cause, 'write');
    throw new FirstseenError('E_STATE_FILE', `cannot write ${path}: ${problem}`, systemDetails(cause, 'write'));
  }
}

/** The inputs of a run with these outputs, and with one of these inputs, if it began and did not save the state after that. */
export function inputsBegun(state: string, run: BeginningRun): readonly string[] | undefined {
  const now = noteOf(run);
  const begun = readNotes(state).find(({ inputs = [], outputs, emit, annotate, order }) => {
    const writesSame = emit === now.emit && annotate === now.annotate && order === now.order;
    const isSame = writesSame && JSON.stringify(outputs) === JSON.stringify(now.outputs);
    return isSame && now.inputs.some((input) => inputs.includes(input));
  });
  return begun?.inputs;
}

/** Tells if a run that began, and did not save the state after that, may have written to one of these outputs. */
export function mayHaveWritten(state: string, outputs: readonly OutputNote[]): boolean {
  return readNotes(state).some((note) => hasOutputOf(note, outputs));
}

/**
 * Notes that a run begins, unless it writes to no file. The note is removed when the state is saved for the run.
 * @throws FirstseenError E_STATE_FILE when it cannot be written.
 */
export async function noteBegun(state: string, run: BeginningRun): Promise<void> {
  if (run.outputs.every(({ path }) => path === null)) return;
  const others = readNotes(state).filter((note) => !hasOutputOf(note, run.outputs));
  await writeNotes(state, [...others.slice(1 - MAX_RUNS), noteOf(run)]);
}

/**
 * Removes the note of a run with these outputs, because the state says what they hold.
 * @throws FirstseenError E_STATE_FILE when that fails
 */
export async function forgetBegun(state: string, outputs: readonly OutputNote[]): Promise<void> {
  const notes = readNotes(state);
  const others = notes.filter((note) => !hasOutputOf(note, outputs));
  if (others.length < notes.length || others.length === 0) await writeNotes(state, others);
}
