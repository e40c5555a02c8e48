// Writes what was found about documents in place of their records: which document each dropped one is near, or attributes of every
// document, as Dolma reads them.

import { emittedMask, forSelected, isSelected, type RecordWriter } from '../../io/sink.js';
import { DUPLICATE, WANTED_DUPLICATES } from '../../kernel/abi.js';
import { decisions } from '../../records/classes.js';
import { similarityText } from './annotation.js';
import type { NameJson } from './names.js';

/** The values to write for a document: its name, its length, and its nearest document. */
export interface FoundDocument {
  name: NameJson;
  /** The length of its text in characters; 0 unless attributes are written. */
  characters: number;
  /**
   * The estimated similarity to the nearest document that has a band in common with it, if there is one; with another
   * document kept than the first, that to the kept one, if they were compared.
   */
  similarity: number | undefined;
  /** The name of that document, if it is known; with another document kept than the first, that of the kept one. */
  nearest: NameJson | undefined;
}

export interface WriterOptions {
  /**
   * Returns the values to write for the keyed records of the batch; undefined for a record that could not be compared.
   */
  found: () => readonly (FoundDocument | undefined)[];
}

const noBytes = new Uint8Array();

/** A writer without the header of the inputs. */
const withoutHeader = {
  checkHeader: () => undefined,
  linesBefore: () => noBytes,
  header: () => noBytes,
} as const satisfies Omit<RecordWriter, 'records'>;

const encoder = new TextEncoder();

/** A name as a field between tabs. One that would break the line stays JSON. */
function fieldOf(name: NameJson): string {
  const value: unknown = JSON.parse(name);
  return typeof value === 'string' && !/[\t\r\n]/.test(value) ? value : name;
}

/** A line for each document that is dropped: its name, that of the nearest kept document, and the similarity of both, if it is known. */
export function idsWriter({ found: foundDocuments }: WriterOptions): RecordWriter {
  return {
    ...withoutHeader,
    inPlaceOfPieces: () => noBytes,
    records(batch) {
      const documents = foundDocuments();
      const lines: string[] = [];
      forSelected(batch, WANTED_DUPLICATES, (_, keyed) => {
        const { name, nearest, similarity } = documents[keyed as number] as FoundDocument;
        const fields = [
          fieldOf(name),
          nearest === undefined ? '' : fieldOf(nearest),
          similarity === undefined ? '' : similarityText(similarity),
        ];
        lines.push(`${fields.join('\t')}\n`);
      });
      return encoder.encode(lines.join(''));
    },
  };
}

/** An attribute of the whole text, as a list with one span. */
function attribute(name: string, characters: number, score: string): string {
  return `"${name}":[[0,${characters},${score}]]`;
}

function attributesOf({ characters, similarity }: FoundDocument, verdict: number): string {
  const attributes = [
    ...(verdict === DUPLICATE ? [attribute('near_duplicate', characters, '1.0')] : []),
    ...(similarity === undefined ? [] : [attribute('near', characters, similarityText(similarity))]),
  ];
  return attributes.join(',');
}

/** The line of a document; undefined for one that could not be compared. */
function lineOf(document: FoundDocument | undefined, verdict: number): string {
  const attributes = document ? attributesOf(document, verdict) : '';
  const { name = 'null', nearest = 'null' } = document ?? {};
  return `{"attributes":{${attributes}},"id":${name},"nearest":${nearest}}\n`;
}

const EVERYTHING = emittedMask('all');

/** A line for each document: its attributes, its name, and that of the nearest kept document. */
export function attributesWriter({ found: foundDocuments }: WriterOptions): RecordWriter {
  return {
    ...withoutHeader,
    inPlaceOfPieces: (verdict) =>
      isSelected(verdict, EVERYTHING) ? encoder.encode(lineOf(undefined, verdict)) : noBytes,
    records(batch) {
      const documents = foundDocuments();
      const lines: string[] = [];
      forSelected(batch, EVERYTHING, (index, keyed) => {
        const verdict = batch.kernel.verdicts[index] as number;
        if (verdict === decisions.COPIED) return;
        lines.push(lineOf(keyed === undefined ? undefined : documents[keyed], verdict));
      });
      return encoder.encode(lines.join(''));
    },
  };
}
