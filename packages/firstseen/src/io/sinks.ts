// The kinds of sink: those of all formats. The name of an output says its format.

import { fileFormats, formatOfOutput } from './formats.js';
import type { FormerRun, OutputNote, Sink, SinkKind, SinkPosition, SinkRequest } from './sink.js';

export const sinkKinds: readonly SinkKind[] = [...new Set(fileFormats.flatMap(({ sinks }) => sinks))];

function kindOf(note: OutputNote): SinkKind {
  return formatOfOutput(note).sinks.find((kind) => kind.isKindOf(note)) as SinkKind;
}

/** Whether an output can have written this position to a state. */
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
  return kindOf(note).open(note, request);
}
