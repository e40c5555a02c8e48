// Resolves the options of near-duplicate detection to settings.

import { checkOptions, checkRate, checkWhole, checkWord, type OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { runAtOnce, type Steps } from '../base/steps.js';
import { unfitOption } from '../base/unfitoption.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { BATCH_CAPACITY, type SignatureName } from '../kernel/abi.js';
import { layout, secret, seed } from '../options/detector.js';
import * as rows from '../options/near.js';
import { ownNamesOf } from '../options/own.js';
import { type Bands, chooseBands, chooseVerifiedBands, parseBands } from './bands.js';
import type { LshFamily, LshVariant } from './contract.js';
import type { EncodingName } from './hex.js';
import { lshFamilies, lshFamilyNamed } from './registry.js';
import { AUTO_SHINGLE, parseShingle, type Shingle } from './shingle.js';
import { type NearTableOptions, resolveTable } from './tables.js';
import { type CaseName, isHostForm, type NormalizationName, type TextForm } from './text.js';
import { resolveVerify, type VerifyOptions, type VerifySettings } from './verify.js';

/** The choice of the documents that enter the table. */
export type Addition = (typeof rows.add.words)[number];

/** The options of near-duplicate detection. All are optional. */
export interface NearOptions extends NearTableOptions, VerifyOptions {
  /** The share of new documents that the table may report by chance, 0.001 by default. */
  fpr?: number | undefined;
  /** `minhash` by default, `simhash` or `bits`. */
  lsh?: SignatureName | undefined;
  /** The similarity from which on documents count as near: between 0 and 1, 0.8 by default. */
  similarity?: number | undefined;
  /**
   * `5w` for five words, `24c` for characters, `8t` for tokens. By default `auto`: five words, or six letters of scripts without blanks;
   * with `simhash` one word, or two letters.
   */
  shingle?: string | undefined;
  /** Hash functions of a signature, 128 by default. */
  hashes?: number | undefined;
  /** `one-permutation` for the faster MinHash. */
  variant?: LshVariant | undefined;
  /** Bands and rows per band, such as `9x13`; by default those with the fewest errors around the similarity. */
  bands?: string | undefined;
  /** Bands that must be seen, 1 by default. */
  agreeing?: number | undefined;
  /**
   * The maximum number of sets, 0 by default. The set with the most bands of a document takes it if these are enough.
   * Otherwise the document opens the next set, as long as there is one.
   */
  sets?: number | undefined;
  /** Bytes of every document; `bits` requires it. */
  documentBytes?: number | undefined;
  /** `hex` if documents are hexadecimal digits, for `bits`; `bytes` by default. */
  encoding?: EncodingName | undefined;
  /** Letters equal in both cases: all by simple case folding (`simple`, the default) or by full (`unicode`), those of ASCII, or none (`keep`). */
  case?: CaseName | undefined;
  /** `nfc` or `nfkc` normalizes a document to that form of Unicode; `none` by default. */
  normalize?: NormalizationName | undefined;
  /** The documents to remember: `kept` by default, those reported distinct; `all` for every document. */
  add?: Addition | undefined;
  /** The number of recently kept documents that an answer searches for the nearest one; 0 by default. */
  explain?: number | undefined;
}

/** Everything that decides an answer, except the table. */
export interface SignatureSettings extends Bands, VerifySettings {
  /** The family of hash functions. */
  lsh: LshFamily;
  /** The similarity from which on documents count as near. */
  similarity: number;
  /** None for a family that compares bytes. */
  shingle: Shingle | undefined;
  /** Hash functions of a signature. */
  hashes: number;
  /** The variant of the family. */
  variant: string;
  /** Bands that must be seen. */
  agreeing: number;
  /** The maximum number of sets. */
  sets: number;
  /** Bytes of every document; 0 for text. */
  documentBytes: number;
  /** The encoding in which documents are written. */
  encoding: EncodingName;
  /** The letters that are equal in both cases. */
  case: CaseName;
  /** The form of Unicode to which documents are converted. */
  normalize: NormalizationName;
  /** The number of keys with texts of a document, which have a boundary between them; 0 if a document is one text. */
  texts: number;
  /** The documents to remember. */
  add: Addition;
  /** The number of recently kept documents that an answer searches for the nearest one. */
  explain: number;
  /** The share of new documents that the table may report by chance. */
  fpr: number;
}

/** Everything that decides the answers of near-duplicate detection. */
export interface NearSettings extends SignatureSettings {
  /** The detector in which bands are looked up. */
  table: DetectorSettings;
}

const MAX_HASHES = 1024;
/** Their signatures have to fit the note of a snapshot. */
const MAX_EXPLAINED = 4096;

function resolveShingle(text: string | undefined, lsh: LshFamily): Shingle | undefined {
  if (text === undefined || lsh.defaultShingle !== undefined) {
    return text === undefined || text === AUTO_SHINGLE ? lsh.defaultShingle : parseShingle(text);
  }
  throw refusedOption('shingle', text, lsh, 'compares bytes');
}

/** An option that a family does not take. */
function refusedOption(option: string, value: unknown, lsh: LshFamily, reason: string): FirstseenError {
  const choice = reason === 'compares text' ? 'bits' : 'minhash or simhash';
  const remedy = phrase`leave it out, or choose ${optionName('lsh')} ${choice}`;
  return unfitOption(option, `${lsh.name} ${reason}`, { code: 'E_PARAMETER', given: value, remedy });
}

function resolveVariant(variant: LshVariant | undefined, lsh: LshFamily): LshVariant {
  if (variant === undefined) return lsh.variants[0] as LshVariant;
  const other = lshFamilies.find(({ variants }) => variants.includes(variant));
  if (other === undefined || other === lsh) return checkWord('variant', variant, lsh.variants);
  const required = phrase`${optionName('lsh')} ${other.name}`;
  throw new FirstseenError('E_PARAMETER', phrase`${optionName('variant')} ${variant} requires ${required}`, {
    option: 'variant',
    given: variant,
    remedy: phrase`leave it out, or choose ${required}`,
  });
}

function resolveDocumentBytes(bytes: number | undefined, lsh: LshFamily): number {
  const isNeeded = lsh.defaultShingle === undefined;
  if ((bytes !== undefined) === isNeeded) return bytes ?? 0;
  if (!isNeeded) throw refusedOption('documentBytes', bytes, lsh, 'compares text');
  throw new FirstseenError('E_PARAMETER', phrase`${lsh.name} requires ${optionName('documentBytes')}`, {
    option: 'documentBytes',
    expected: 'the length of every document in bytes',
    remedy: 'give the length of every document in bytes',
  });
}

/** Bytes are compared unchanged, and text as text. */
function resolveForm({ encoding, ...form }: TextForm & { encoding: EncodingName }, lsh: LshFamily) {
  const isOfText = lsh.defaultShingle !== undefined;
  if (isOfText ? encoding === 'bytes' : !isHostForm(form)) return { encoding, ...form };
  if (isOfText) throw refusedOption('encoding', encoding, lsh, 'compares text');
  const option = form.normalize === 'none' ? 'case' : 'normalize';
  throw refusedOption(option, form[option], lsh, 'compares bytes');
}

/** Facts about the documents that no option of the library sets. */
export interface KnownDocuments {
  /** The number of texts of a document, which have a boundary between them; 0 for one text. */
  texts?: number;
  /** The most slots of a document in a saved table of sketches. */
  sketchSlots?: number | undefined;
}

/** @throws FirstseenError E_PARAMETER. */
export function resolveSignature(
  options: NearOptions,
  { texts = 0, sketchSlots }: KnownDocuments = {},
): SignatureSettings {
  const {
    lsh: name,
    similarity: similarityOption,
    shingle,
    hashes: hashesOption,
    variant,
    bands: bandsText,
    agreeing: least,
  } = options;
  const { documentBytes, encoding = rows.encoding.default, case: letters = rows.letterCase.default } = options;
  const { normalize = rows.normalize.default } = options;
  const { add = rows.add.default, explain = rows.explain.default, sets = rows.sets.default } = options;
  const { fpr = rows.tableFpr.default } = options;
  const lsh = lshFamilyNamed(name);
  const hashes = checkWhole('hashes', hashesOption ?? lsh.defaultHashes, { least: 1, most: MAX_HASHES });
  const agreeing = checkWhole('agreeing', least ?? rows.agreeing.default, { least: 1, most: hashes });
  const similarity = checkRate('similarity', similarityOption ?? rows.similarity.default, '0.8');
  const verifying = resolveVerify(options, lsh, sketchSlots);
  const choose = verifying.verify ? chooseVerifiedBands : chooseBands;
  const bands =
    bandsText === undefined
      ? choose({ lsh, hashes, similarity, agreeing })
      : parseBands(bandsText, { hashes, agreeing });
  return {
    lsh,
    similarity,
    shingle: resolveShingle(shingle, lsh),
    hashes,
    variant: resolveVariant(variant, lsh),
    ...bands,
    agreeing,
    ...verifying,
    sets: checkWhole('sets', sets, { least: 0, most: Math.floor(BATCH_CAPACITY / bands.bands) - 1 }),
    documentBytes: resolveDocumentBytes(documentBytes, lsh),
    ...resolveForm(
      {
        encoding: checkWord('encoding', encoding, rows.encoding.words),
        case: checkWord('case', letters, rows.letterCase.words),
        normalize: checkWord('normalize', normalize, rows.normalize.words),
      },
      lsh,
    ),
    texts,
    add: checkWord('add', add, rows.add.words),
    explain: checkWhole('explain', explain, { least: 0, most: MAX_EXPLAINED }),
    fpr: checkRate('fpr', fpr, '0.001'),
  };
}

const nearOptionNames: OptionNames<NearOptions> = /* @__PURE__ */ ownNamesOf([
  ...rows.nearOptions,
  ...rows.documentOptions,
  rows.explain,
  layout,
  seed,
  secret,
]);

/**
 * Resolves the options of a detector, in steps, because its table may be planned.
 * @throws FirstseenError as `resolveSignature` and `resolveSettings`.
 */
export function* nearInSteps(options: NearOptions = {}): Steps<NearSettings> {
  checkOptions(options, nearOptionNames);
  const signature = resolveSignature(options);
  return { ...signature, table: yield* resolveTable(tableOptions(options), signature) };
}

/** As `nearInSteps`, at once. */
export function resolveNear(options: NearOptions = {}): NearSettings {
  return runAtOnce(nearInSteps(options));
}

/** The options of the table. */
export function tableOptions(options: NearOptions): NearTableOptions {
  const { algorithm, memory, window, windowSlack, refresh, layout, seed, secret, parameters } = options;
  const { distinctDocuments } = options;
  return defined({
    ...{ algorithm, memory, window, windowSlack, refresh, layout, seed, secret, parameters },
    distinctDocuments,
  });
}
