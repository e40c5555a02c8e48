// From what people ask of near-duplicate detection to the numbers it works with.

import { checkedRate, type DetectorSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { BATCH_CAPACITY } from '../kernel/abi.js';
import { type Bands, chooseBands, parseBands } from './bands.js';
import { checkedWhole, checkedWord, type LshFamily } from './contract.js';
import { type EncodingName, encodingNames } from './hex.js';
import { defaultLshFamily, lshFamilyNamed } from './registry.js';
import { parseShingle, type Shingle } from './shingle.js';
import { DEFAULT_TABLE_FPR, resolveTable, type TableOptions } from './tables.js';
import {
  type CaseName,
  caseNames,
  isHostForm,
  type NormalizationName,
  normalizationNames,
  type TextForm,
} from './text.js';

/** Which documents' bands go into the table. */
export const additions = ['kept', 'all'] as const;
export type Addition = (typeof additions)[number];

export interface NearOptions extends TableOptions {
  /** Share of new documents that the table may report for the chance alone, 0.001 by default. */
  fpr?: number;
  /** `minhash` by default, `simhash` or `bits`. */
  lsh?: string;
  /** The similarity from which on documents are to be found: above 0 and below 1, 0.8 by default. */
  similarity?: number;
  /** `5w`, five words, by default with `minhash`; `1w` with `simhash`; `24c` characters, `8t` tokens. */
  shingle?: string;
  /** Hash functions of a signature, 128 by default. */
  hashes?: number;
  /** `one-permutation` for the quicker MinHash. */
  variant?: string;
  /** Bands and rows of each, such as `9x13`; by default those that err least around the similarity. */
  bands?: string;
  /** Bands that have to be seen, 1 by default. */
  agreeing?: number;
  /**
   * At most so many sets: a document is taken by the set that has most of its bands, if these are enough, and otherwise opens the next
   * one while there are any left. None by default.
   */
  sets?: number;
  /** Bytes of every document; for `bits`, which needs it. */
  documentBytes?: number;
  /** `hex` where a document of bytes is given as hexadecimal digits, for `bits`; `bytes` by default. */
  encoding?: string;
  /** `ascii` by default: capital letters of ASCII count as small ones; `unicode` for all letters; `keep` for none. */
  case?: string;
  /** `nfc` or `nfkc` brings a document to that form of Unicode first; `none` by default. */
  normalize?: string;
  /** `kept` by default: only documents that are reported distinct; `all` for every one. */
  add?: string;
  /** The nearest is named of so many documents kept last; none by default. */
  explain?: number;
}

/** All that decides what is answered of a document, but for the table. */
export interface SignatureSettings extends Bands {
  lsh: LshFamily;
  similarity: number;
  /** None where documents are taken byte by byte. */
  shingle: Shingle | undefined;
  hashes: number;
  variant: string;
  agreeing: number;
  sets: number;
  documentBytes: number;
  encoding: EncodingName;
  case: CaseName;
  normalize: NormalizationName;
  add: Addition;
  explain: number;
  /** Share of new documents that the table may report for the chance alone. */
  fpr: number;
}

export interface NearSettings extends SignatureSettings {
  table: DetectorSettings;
}

const DEFAULT_SIMILARITY = 0.8;
const MOST_HASHES = 1024;
/** Their signatures have to fit the note of a snapshot. */
const MOST_EXPLAINED = 4096;

function resolveShingle(text: string | undefined, lsh: LshFamily): Shingle | undefined {
  if (text === undefined || lsh.defaultShingle !== undefined) {
    return text === undefined ? lsh.defaultShingle : parseShingle(text);
  }
  throw new FirstseenError(
    'E_PARAMETER',
    `shingle ${text} was given, but ${lsh.name} takes documents byte by byte; leave it out, or choose another lsh`,
  );
}

function resolveDocumentBytes(bytes: number | undefined, lsh: LshFamily): number {
  const isNeeded = lsh.defaultShingle === undefined;
  if ((bytes !== undefined) === isNeeded) return bytes ?? 0;
  throw new FirstseenError(
    'E_PARAMETER',
    isNeeded
      ? `${lsh.name} compares documents of one length, and none was given; give it as documentBytes (--document-bytes)`
      : `a length of documents was given, but ${lsh.name} takes documents of any length; leave it out, or choose lsh bits`,
  );
}

/** Bytes are compared as they are, and text as text. */
function resolveForm({ encoding, ...form }: TextForm & { encoding: EncodingName }, lsh: LshFamily) {
  const isOfText = lsh.defaultShingle !== undefined;
  if (isOfText ? encoding === 'bytes' : !isHostForm(form)) return { encoding, ...form };
  throw new FirstseenError(
    'E_PARAMETER',
    isOfText
      ? `encoding ${encoding} was given, but ${lsh.name} compares text; leave it out, or choose lsh bits`
      : `a case or form of Unicode was given, but ${lsh.name} takes documents byte by byte; leave it out, or choose another lsh`,
  );
}

function checkedSimilarity(similarity: number): number {
  if (typeof similarity === 'number' && similarity > 0 && similarity < 1) return similarity;
  throw new FirstseenError(
    'E_PARAMETER',
    `similarity is ${similarity}, but must be a number between 0 and 1, such as 0.8`,
  );
}

/** @throws FirstseenError E_PARAMETER saying what was given and what is possible. */
export function resolveSignature(options: NearOptions): SignatureSettings {
  const { lsh: name, similarity: asked, shingle, hashes: wanted, variant, bands: given, agreeing: least } = options;
  const { documentBytes, encoding = 'bytes', case: letters = 'ascii', normalize = 'none' } = options;
  const { add = 'kept', explain = 0, fpr, sets = 0 } = options;
  const lsh = name === undefined ? defaultLshFamily : lshFamilyNamed(name);
  const hashes = checkedWhole('hashes', wanted ?? lsh.defaultHashes, 1, MOST_HASHES);
  const agreeing = checkedWhole('agreeing', least ?? 1, 1, hashes);
  const similarity = checkedSimilarity(asked ?? DEFAULT_SIMILARITY);
  const bands =
    given === undefined ? chooseBands({ lsh, hashes, similarity, agreeing }) : parseBands(given, { hashes, agreeing });
  return {
    lsh,
    similarity,
    shingle: resolveShingle(shingle, lsh),
    hashes,
    variant: checkedWord('variant', variant ?? (lsh.variants[0] as string), lsh.variants),
    ...bands,
    agreeing,
    sets: checkedWhole('sets', sets, 0, Math.floor(BATCH_CAPACITY / bands.bands) - 1),
    documentBytes: resolveDocumentBytes(documentBytes, lsh),
    ...resolveForm(
      {
        encoding: checkedWord('encoding', encoding, encodingNames),
        case: checkedWord('case', letters, caseNames),
        normalize: checkedWord('normalize', normalize, normalizationNames),
      },
      lsh,
    ),
    add: checkedWord('add', add, additions),
    explain: checkedWhole('explain', explain, 0, MOST_EXPLAINED),
    fpr: checkedRate(fpr ?? DEFAULT_TABLE_FPR),
  };
}

/** @throws FirstseenError as `resolveSignature`, and as the settings of a detector do. */
export function resolveNear(options: NearOptions = {}): NearSettings {
  const signature = resolveSignature(options);
  return { ...signature, table: resolveTable(tableOptions(options), signature) };
}

/** What is the table's of the options. */
export function tableOptions(options: NearOptions): TableOptions {
  const { algorithm, memory, window, refresh, layout, seed, secret, parameters, distinctDocuments } = options;
  const given = { algorithm, memory, window, refresh, layout, seed, secret, parameters, distinctDocuments };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
