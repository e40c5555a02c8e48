// Compares the files of a run with the runs in its state, before anything is decided. Nothing is written.

import type { Emission } from '../io/policies.js';
import type { OutputNote } from '../io/sink.js';
import { hasContent } from '../io/sinks.js';
import { isRepeatable, type ReadNote, type Source } from '../io/source.js';
import type { OpenStores } from '../io/store/openstores.js';
import { isSamePath, PathIndex } from '../io/system/identity.js';
import { type InputMatch, type KnownInput, knownInput } from './knowninput.js';
import type { RunNote, StateNote } from './note.js';
import { rotatedInputsOf } from './rotated.js';

/** A run of the state with the same outputs, compared with the inputs. */
export interface KnownRun {
  run: RunNote;
  /** The inputs, each after the files that log rotation has made of it and that have to be read. */
  sources: readonly Source[];
  /** The known input of each source; undefined for an input that has not been read yet. */
  known: readonly (KnownInput | undefined)[];
  /** The inputs without the files that log rotation has renamed. */
  given: readonly Source[];
  /** The names of inputs that have become other files, where an earlier file was not found. */
  replaced: readonly string[];
  /** The names of inputs that are other files than those that were read, and begin with the same few bytes. */
  undecided: readonly string[];
  /** Logs that were rotated, and files that may belong to them, which are not read. */
  unrecognized: readonly UnrecognizedFiles[];
}

export interface UnrecognizedFiles {
  /** The name of the log. */
  log: string;
  paths: readonly string[];
}

export interface MatchRequest {
  sources: readonly Source[];
  outputs: readonly OutputNote[];
  emit: Emission;
  annotate?: string | undefined;
  /** The time at which the state was saved, in milliseconds since 1970, if that is known. */
  savedMilliseconds?: number;
}

function isSameOutput(one: OutputNote, other: OutputNote): boolean {
  return one.isCompressed === other.isCompressed && one.contents === other.contents && isSamePath(one, other);
}

function hasSameOutputs(run: RunNote, request: Omit<MatchRequest, 'sources'>): boolean {
  const { outputs, emit, annotate } = request;
  if (run.emit !== emit || run.annotate !== annotate || run.outputs.length !== outputs.length) return false;
  return run.outputs.every((output, i) => isSameOutput(output, outputs[i] as OutputNote));
}

/** Finds for each input what was read of it, the latest first. What was read of an input is found for one input only. */
class Matches {
  readonly known: (KnownInput | undefined)[];
  /** The notes of inputs that were read and have not been found. */
  readonly left: Set<ReadNote>;
  /** The notes of the inputs that were read, the latest first. */
  readonly #reads: readonly ReadNote[];
  readonly #readPaths: PathIndex;
  readonly #sources: readonly Source[];

  constructor(reads: readonly ReadNote[], sources: readonly Source[]) {
    this.#reads = [...reads].reverse();
    this.#readPaths = new PathIndex(this.#reads.map(({ input }) => input));
    this.left = new Set(this.#reads);
    this.#sources = sources;
    this.known = sources.map(() => undefined);
  }

  /** An input that has kept its name is found before one that may have been renamed. */
  async find(): Promise<void> {
    const sources = [...this.#sources.entries()];
    for (const [i, source] of sources) this.known[i] = await this.#findAmong(this.#namesakesOf(source), source);
    for (const [i, source] of sources) this.known[i] ??= await this.#findAmong(this.#othersThan(source), source);
  }

  #namesakesOf({ note }: Source): ReadNote[] {
    const reads = this.#readPaths.positionsOf(note).map((position) => this.#reads[position] as ReadNote);
    return reads.filter((note) => this.left.has(note));
  }

  #othersThan({ note }: Source): ReadNote[] {
    return [...this.left].filter((readNote) => !isSamePath(readNote.input, note));
  }

  async #findAmong(reads: readonly ReadNote[], source: Source): Promise<KnownInput | undefined> {
    for (const note of reads) {
      const knownSource = await knownInput(source, note);
      if (!knownSource) continue;
      this.left.delete(note);
      return knownSource;
    }
    return undefined;
  }
}

/** A run, compared with the inputs. */
export async function compareWith(run: RunNote, request: MatchRequest): Promise<KnownRun> {
  const matches = new Matches(run.reads, request.sources);
  await matches.find();
  const givenInputs = request.sources.map((source, i) => ({ source, known: matches.known[i] }));
  const named = new PathIndex([...run.inputs, ...run.reads.map((note) => note.input)]);
  const otherInputs = [...givenInputs];
  const inputs: InputMatch[] = [];
  const replaced: string[] = [];
  const undecided: string[] = [];
  const unrecognized: UnrecognizedFiles[] = [];
  const { savedMilliseconds = Number.POSITIVE_INFINITY } = request;
  const shared = { others: otherInputs, run, named, left: matches.left, savedMilliseconds };
  for (const input of givenInputs) {
    const rotation = await rotatedInputsOf({ ...shared, input });
    const matchedInputs = [...rotation.inputs, rotation.input];
    otherInputs.push(...matchedInputs);
    inputs.push(...matchedInputs);
    const { name } = input.source;
    if (rotation.isIncomplete) replaced.push(name);
    if (rotation.isUndecided) undecided.push(name);
    if (rotation.unrecognized.length > 0) unrecognized.push({ log: name, paths: rotation.unrecognized });
  }
  const sources = inputs.map(({ source }) => source);
  const knownInputs = inputs.map((input) => input.known);
  return { run, sources, known: knownInputs, replaced, undecided, unrecognized, given: request.sources };
}

/** Tells if a run that reached its end is continued. A run over inputs that cannot be reread has nothing to continue. */
function continuesFinished({ run, sources, known }: KnownRun): boolean {
  if (!run.inputs.every(isRepeatable)) return false;
  if (known.some((input) => input !== undefined)) return true;
  // Each new run to standard output may write to another file.
  if (run.outputs.some(({ path }) => path === null)) return false;
  return sources.some(({ note }) => run.reads.some((readNote) => isSamePath(readNote.input, note)));
}

/** The runs of the state with these outputs, the latest first, that these inputs continue. */
async function finishedRunOf(note: StateNote, request: MatchRequest): Promise<KnownRun | undefined> {
  const runs = [note.run, ...[...note.finishedRuns].reverse()];
  for (const run of runs.filter((one) => one.isFinished && hasSameOutputs(one, request))) {
    const found = await compareWith(run, request);
    if (continuesFinished(found)) return found;
  }
  return undefined;
}

/**
 * The run of the state that a run may continue: its unfinished run if the outputs are the same, otherwise a finished run.
 * @throws FirstseenError E_INPUT when an input can no longer be read.
 */
export async function knownRunOf(note: StateNote, request: MatchRequest): Promise<KnownRun | undefined> {
  if (!note.run.isFinished && hasSameOutputs(note.run, request)) return compareWith(note.run, request);
  return finishedRunOf(note, request);
}

/** An output that is not empty. */
export async function heldOutputOf(
  outputs: readonly OutputNote[],
  stores: OpenStores,
): Promise<OutputNote | undefined> {
  for (const output of outputs) if (await hasContent(output, stores)) return output;
  return undefined;
}
