// The kinds of sink: those of all formats. The name of an output says its format.

import { stat } from 'node:fs/promises';
import { fileSinkKind } from './file/sinks.js';
import { fileFormats, formatInFolder, formatOfOutput } from './formats.js';
import type { WrittenFormat } from './policies.js';
import type { FormerRun, OutputNote, Sink, SinkKind, SinkPosition, SinkRequest, StoresOfRun } from './sink.js';
import type { Source } from './source.js';
import { systemPath } from './system/paths.js';

export const sinkKinds: readonly SinkKind[] = [...new Set(fileFormats.flatMap(({ sinks }) => sinks))];

function kindOf(note: OutputNote): SinkKind {
  return formatOfOutput(note).sinks.find((kind) => kind.isKindOf(note)) as SinkKind;
}

/** The kind of the file for an input in a folder. A container is written under the name of the input, whatever it is. */
function kindInFolder(source: Source, written: WrittenFormat | undefined): SinkKind {
  const { container, sinks } = formatInFolder(source, written);
  return container ? (sinks[0] as SinkKind) : fileSinkKind;
}

/** Tells if an output can have written this position to a state. */
export function isSinkPosition(note: OutputNote, position: SinkPosition): boolean {
  return kindOf(note).isPosition(note, position);
}

/** @throws FirstseenError as the kind of the output does. */
export function positionToResume(note: OutputNote, known: SinkPosition, run: FormerRun): Promise<SinkPosition> {
  return kindOf(note).positionToResume(note, known, run);
}

/** The position in little space, as the kind of the output does it. */
export function compactPosition(note: OutputNote, position: SinkPosition): SinkPosition {
  return kindOf(note).compact(position);
}

/** @throws FirstseenError E_OUTPUT when it cannot be opened for writing, and as the kind of the output does. */
export function openSink(note: OutputNote, request: SinkRequest): Promise<Sink> {
  const { names } = request;
  const fileKind = names && ((source: Source) => kindInFolder(source, names.written));
  return kindOf(note).open(note, { ...request, ...(fileKind ? { fileKind } : {}) });
}

async function holdsFile(path: string): Promise<boolean> {
  const file = await stat(systemPath(path)).catch(() => undefined);
  return file?.isFile() === true && file.size > 0;
}

/** Tells if an output has something in it. What is neither a file nor an object has nothing. */
export async function hasContent(note: OutputNote, stores: StoresOfRun): Promise<boolean> {
  if (note.path === null) return false;
  return kindOf(note).holds?.(note, stores) ?? holdsFile(note.path);
}
