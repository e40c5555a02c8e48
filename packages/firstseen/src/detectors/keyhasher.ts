// Fingerprints of keys, written into the batch of a kernel.

import { FirstseenError, optionName, phrase, shownValue } from '../base/errors.js';
import { type FingerprintName, fingerprintForms } from '../fingerprint/fingerprint.js';
import { KEYED, type KernelExports } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { type Answering, answerBatches, answerUpTo, type PlacedElements } from './batches.js';
import { MAX_KEY_BYTES } from './host.js';
import { type Key, writeBytes, writeInteger } from './key.js';
import { KeyBatch, keysIn } from './keybatch.js';
import { checkKeyVerdicts } from './refusals.js';
import { type CheckedAnswers, checkSpans, type GivenSpans, type SpanAnswers, textOfSpan, writeSpans } from './spans.js';

export class KeyHasher {
  readonly #kernel: Kernel;
  /** The functions for single keys: each look into the exports of a module is a search. */
  readonly #hashKey: KernelExports['fingerprintKey'];
  readonly #hashInteger: KernelExports['fingerprintInteger'];
  readonly #fingerprintId: number;
  /** The memory in which a key is written before it is hashed. */
  readonly #region: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  readonly #batch: KeyBatch;

  constructor(kernel: Kernel, fingerprint: FingerprintName) {
    this.#kernel = kernel;
    this.#hashKey = kernel.exports.fingerprintKey;
    this.#hashInteger = kernel.exports.fingerprintInteger;
    this.#fingerprintId = fingerprintForms[fingerprint].id;
    this.#region = kernel.bytes.subarray(kernel.regionOffset, kernel.regionOffset + MAX_KEY_BYTES);
    this.#view = new DataView(kernel.bytes.buffer);
    this.#batch = new KeyBatch(kernel, this.#region);
  }

  /**
   * Writes the fingerprint of a key as the first of the batch.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted.
   */
  hash(key: Key): void {
    const { regionOffset, fingerprintsOffset } = this.#kernel;
    const hashKey = this.#hashKey;
    const hashInteger = this.#hashInteger;
    if (typeof key === 'number' || typeof key === 'bigint') {
      writeInteger(this.#view, regionOffset, key);
      hashInteger(this.#fingerprintId, regionOffset, fingerprintsOffset);
      return;
    }
    const length = writeBytes(this.#region, key);
    if (hashKey(this.#fingerprintId, regionOffset, length, fingerprintsOffset) !== KEYED) throw notAnInteger(key);
  }

  /** Writes the fingerprints of the keys from an index on as the batch: of one key at least, unless it is refused. */
  hashBatch(keys: readonly Key[], from: number): PlacedElements {
    const { exports, regionOffset } = this.#kernel;
    const written = this.#batch.write(keys, from);
    const hashed = exports.fingerprintKeys(this.#fingerprintId, regionOffset, this.#batch.textsOffset, written.count);
    return hashed < written.count ? { count: hashed, error: notAnInteger(keys[from + hashed] as Key) } : written;
  }

  /** As `hashBatch`, for keys in a buffer. */
  hashSpans(spans: GivenSpans, from: number): PlacedElements {
    const written = writeSpans(this.#kernel, spans, from);
    const hashed = this.#kernel.exports.fingerprintSpans(this.#fingerprintId, written.count);
    return hashed < written.count ? { count: hashed, error: notAnInteger(textOfSpan(spans, from + hashed)) } : written;
  }
}

function notAnInteger(key: Key): FirstseenError {
  return new FirstseenError('E_KEY', `key ${shownValue(String(key))} is not a decimal integer from 0 to 2^64 - 1`, {
    remedy: phrase`give such integers, or choose another ${optionName('fingerprint')} than identity`,
  });
}

/**
 * Answers keys.
 * @throws FirstseenError E_PARAMETER when `keys` is one key or cannot be iterated over, or `verdicts` has another type, is shorter, is
 * detached or in the memory of the detector; E_KEY for a key that cannot be fingerprinted, after the keys before it are answered.
 */
export function answerKeys(
  answerer: Answering,
  hasher: KeyHasher,
  keys: Iterable<Key>,
  verdicts?: Uint8Array,
): Uint8Array {
  const all = keysIn(keys);
  const elements = all.length;
  const place = (start: number) => hasher.hashBatch(all, start);
  if (verdicts === undefined) return answerBatches(answerer, place, { verdicts: new Uint8Array(elements), elements });
  checkKeyVerdicts(verdicts, elements, answerer.kernel.bytes);
  // A key that shares memory with the verdicts is read before they are written.
  const answers = new Uint8Array(verdicts.subarray(0, elements));
  try {
    answerBatches(answerer, place, { verdicts: answers, elements });
  } finally {
    verdicts.set(answers);
  }
  return verdicts;
}

/**
 * Answers keys in a buffer.
 * @throws FirstseenError E_PARAMETER as `checkSpans`, or for a span outside the bytes; E_KEY for a key that cannot be fingerprinted. The
 * keys before it are answered then.
 */
export function answerSpans(
  answerer: Answering,
  hasher: KeyHasher,
  spans: GivenSpans,
  targets: SpanAnswers,
): Uint8Array {
  const answers = checkSpans(spans, targets, answerer.kernel.bytes);
  const { error } = answerCheckedSpans(answerer, hasher, spans, answers);
  if (error !== undefined) throw error;
  return answers.verdicts;
}

/** As `answerSpans`, for arrays that need no check. @returns how many keys were answered, and why no more */
export function answerCheckedSpans(
  answering: Answering,
  hasher: KeyHasher,
  spans: GivenSpans,
  { verdicts, fingerprints }: CheckedAnswers,
): PlacedElements {
  const place = (start: number) => hasher.hashSpans(spans, start);
  return answerUpTo(answering, place, { verdicts, fingerprints, elements: spans.count });
}
