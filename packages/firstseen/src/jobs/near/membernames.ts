// The names of documents of a run that keeps another one of a cluster than its first. The first reading notes them in two files, with the
// cluster of each document; the second one looks up which document was kept for a dropped one.

import { BufferedFile } from './bufferedfile.js';
import { type NameJson, shortened } from './names.js';
import type { FoundDocument } from './writers.js';

/** A document as the first reading finds it. */
export interface NamedMember {
  name: NameJson;
  /** The number of the first document of its cluster; its own if it is that one. */
  first: number;
  /** The estimated similarity to the first document. */
  similarity: number;
}

/** A document as the file has it. */
interface NoteOfMember {
  nameAt: number;
  nameBytes: number;
  first: number;
  /** The number of the kept document, in the note of the first document of a cluster. */
  best: number;
  similarity: number;
}

/** The bytes of a note: five numbers. */
const NOTE_BYTES = 40;

/** The place in a note of the number of the kept document. */
const BEST_AT = 24;

function bytesOfNumbers(...numbers: number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

export class MemberNames {
  readonly #notes: BufferedFile;
  readonly #names: BufferedFile;
  #count = 0;

  /** @throws FirstseenError E_SPILL when a file cannot be created. */
  constructor(folder: string) {
    this.#notes = new BufferedFile(folder);
    this.#names = new BufferedFile(folder);
  }

  /** Adds the next document; it is kept if it is the first of its cluster, until `keepInstead`. */
  add({ name, first, similarity }: NamedMember): void {
    const bytes = new TextEncoder().encode(name);
    const nameAt = this.#names.append(bytes);
    this.#notes.append(bytesOfNumbers(nameAt, bytes.length, first, this.#count, similarity));
    this.#count++;
  }

  /** Adds a document that belongs to no cluster. */
  addNone(): void {
    this.#notes.append(new Uint8Array(NOTE_BYTES));
    this.#count++;
  }

  /** Notes that another document of a cluster is kept. */
  keepInstead(first: number, best: number): void {
    this.#notes.replace(bytesOfNumbers(best), first * NOTE_BYTES + BEST_AT);
  }

  /**
   * Returns a dropped document with the kept one of its cluster. Both were compared with the first document of the cluster, so their
   * similarity is known if one of them is that document.
   */
  dropped(number: number): FoundDocument {
    const note = this.#noteOf(number);
    const { best } = this.#noteOf(note.first);
    const keptNote = this.#noteOf(best);
    const similarities = new Map([
      [best, note.similarity],
      [number, keptNote.similarity],
    ]);
    return {
      name: this.#nameOf(note),
      characters: 0,
      similarity: similarities.get(note.first),
      nearest: shortened(this.#nameOf(keptNote)),
    };
  }

  close(): void {
    this.#notes.close();
    this.#names.close();
  }

  #noteOf(number: number): NoteOfMember {
    const numbers = new Float64Array(this.#notes.read(NOTE_BYTES, number * NOTE_BYTES).buffer);
    const [nameAt = 0, nameBytes = 0, first = 0, best = 0, similarity = 0] = numbers;
    return { nameAt, nameBytes, first, best, similarity };
  }

  #nameOf({ nameAt, nameBytes }: NoteOfMember): NameJson {
    return new TextDecoder().decode(this.#names.read(nameBytes, nameAt));
  }
}
