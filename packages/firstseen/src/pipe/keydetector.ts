// A detector of keys, as a parent uses it.

import { FirstseenError } from '../base/errors.js';
import type { Claims } from '../claims/claims.js';
import { createClaims } from '../claims/open.js';
import type { ClaimsOptions } from '../claims/options.js';
import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { keysInIntegers, keysInList, observeWhole, type PlaceableKeys, testWhole } from '../detectors/whole.js';
import { type CreateOptions, create } from '../plan/keys.js';
import { keyMaker } from '../records/keyof.js';
import { type LoadOptions, load } from '../snapshot/load.js';
import type { SnapshotStream } from '../snapshot/readstream.js';
import { type FrameParts, integersIn, keysOfParts, type OffsetRoom, partsIn, readKeys } from './keys.js';
import type { JsonObject, Request } from './request.js';

/** Options as they come, with a seed as text where a number has not enough digits. */
function withSeed(options: JsonObject): JsonObject {
  const { seed } = options;
  return typeof seed === 'string' && /^\d+$/.test(seed) ? { ...options, seed: BigInt(seed) } : options;
}

export class KeyDetector {
  readonly type = 'keys';
  readonly savable: Detector;
  readonly #claims: Claims | undefined;

  private constructor(detector: Detector, claims: Claims | undefined) {
    this.savable = detector;
    this.#claims = claims;
  }

  static #with(detector: Detector, claims: ClaimsOptions | undefined): KeyDetector {
    return new KeyDetector(detector, claims && createClaims(detector, claims));
  }

  /** @throws FirstseenError as `create` and `createClaims` */
  static async create(options: JsonObject, claims?: JsonObject): Promise<KeyDetector> {
    return KeyDetector.#with(await create(withSeed(options) as CreateOptions), claims as ClaimsOptions | undefined);
  }

  /** @throws FirstseenError as `load` and `createClaims` */
  static async load(snapshot: SnapshotStream, options: JsonObject, claims?: JsonObject): Promise<KeyDetector> {
    return KeyDetector.#with(await load(snapshot, options as LoadOptions), claims as ClaimsOptions | undefined);
  }

  get description(): object {
    return { settings: this.savable.settings };
  }

  /** The claims. @throws FirstseenError E_USAGE for a detector that was made without */
  get claims(): Claims {
    if (this.#claims) return this.#claims;
    throw new FirstseenError('E_USAGE', 'the detector was made without claims', {
      remedy: 'give claims when you create or load it',
    });
  }

  stats(hasLoad: boolean): object {
    const stats = hasLoad ? this.savable.stats() : this.savable.statsWithoutLoad();
    return this.#claims ? { ...stats, claims: this.#claims.stats() } : stats;
  }

  /** Observes all keys of a frame or none: a byte for each. */
  observe(request: Request): void {
    const keys = this.#keysOf(request);
    const held = this.#held();
    request.answer(keys.count, (verdicts) => observeWhole(this.savable, keys, verdicts, held));
  }

  test(request: Request): void {
    const keys = this.#keysOf(request);
    request.answer(keys.count, (verdicts) => testWhole(this.savable, keys, verdicts));
  }

  advance(timeMilliseconds: number): void {
    this.savable.advance(timeMilliseconds);
  }

  clear(): void {
    this.#claims?.endAll();
    this.savable.clear();
  }

  close(): void {
    this.savable.close();
  }

  /** The keys of a frame, one by one. @throws as `keysOf` */
  keyList(body: Uint8Array, offsets: OffsetRoom): Key[] {
    const sent = readKeys(body, offsets);
    if (sent.form === 'records') return this.#keysOfRecords(sent.parts);
    return sent.form === 'integers' ? integersIn(sent.bytes) : partsIn(sent.parts);
  }

  /** The keys of a frame. @throws FirstseenError E_FRAME; E_KEY and E_KEY_MISSING for a record without a key */
  #keysOf({ body, context }: Request): PlaceableKeys {
    const sent = readKeys(body, context.offsets);
    if (sent.form === 'integers') return keysInIntegers(sent.bytes);
    if (sent.form === 'parts') return keysOfParts(sent.parts);
    return keysInList(this.#keysOfRecords(sent.parts));
  }

  #keysOfRecords(records: FrameParts): Uint8Array[] {
    const { keyScheme } = this.savable.settings;
    if (keyScheme?.format !== 'ndjson') {
      const problem = 'records were sent, but the options of the detector do not say what their key is';
      throw new FirstseenError('E_USAGE', problem, { remedy: 'create the detector with keys, or send keys' });
    }
    const keyOfRecord = keyMaker(keyScheme.keys, { format: keyScheme.format, ...keyScheme.equality });
    // Without policies, a record without a key is refused.
    return partsIn(records).map((record) => keyOfRecord(record) as Uint8Array);
  }

  /** Keys that claims hold, if there are any now. */
  #held() {
    const claims = this.#claims;
    if (!claims) return undefined;
    claims.advance();
    const { size: count } = claims.holding;
    if (count === 0) return undefined;
    const observe = (fingerprints: BigUint64Array, verdicts: Uint8Array) =>
      void claims.observeBatch(fingerprints, verdicts);
    return { count, observe };
  }
}
