// Checks that the key of each message is the key that is compared. Then equal keys are in one partition, if producers choose the partition
// by the key of the message.

import { FirstseenError, optionName, phrase, shownName, shownValue } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import type { KeyOptions } from './keys.js';
import type { KeyScanner, Scanned } from './scanning.js';

const QUOTE = 0x22;
/** Longer keys are compared one by one. */
const MAX_HASHED_BYTES = 2 ** 16;

/**
 * The forms in which the key of a message has a string of JSON: its characters, or JSON with quotes. Numbers are the
 * same in both, and so tell nothing. All messages need the same form, because the other one may be in another
 * partition.
 */
export const forms = { other: 0, either: 1, text: 2, json: 3 } as const;
type Form = (typeof forms)[keyof typeof forms];

/** Tells if the key of a message can be another one than the key that is compared. */
export function canDiffer({ place, keys }: KeyOptions): boolean {
  return place !== 'key' || keys.length > 0;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function formOfPlain(message: Uint8Array): Form {
  return message[0] === QUOTE ? forms.json : forms.either;
}

/**
 * Returns the form in which a message has a key of JSON, of which strings have their quotes, with what is between them
 * decoded.
 */
function formOf(message: Uint8Array, key: Uint8Array): Form {
  if (isSame(message, key)) return formOfPlain(message);
  if (key.length < 2 || key[0] !== QUOTE || key.at(-1) !== QUOTE) return forms.other;
  const characters = key.subarray(1, -1);
  if (isSame(message, characters)) return forms.text;
  const written = Buffer.from(JSON.stringify(Buffer.from(characters).toString()));
  return isSame(message, written) ? forms.json : forms.other;
}

/** Keys between quotes, in one buffer. */
interface QuotedKeys {
  bytes: Uint8Array;
  /** The places of their records. */
  places: Uint32Array;
  starts: Uint32Array;
  ends: Uint32Array;
  count: number;
}

function quotedKeys(records: readonly KafkaRecord[], { isFound }: Scanned): QuotedKeys {
  const isTaken = ({ key }: KafkaRecord, place: number) => isFound[place] && key && key.length <= MAX_HASHED_BYTES;
  let length = 0;
  for (const [place, record] of records.entries()) if (isTaken(record, place)) length += (record.key?.length ?? 0) + 2;
  const [places, starts, ends] = [0, 0, 0].map(() => new Uint32Array(records.length)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const bytes = new Uint8Array(length).fill(QUOTE);
  let [count, at] = [0, 0];
  for (const [place, record] of records.entries()) {
    if (!isTaken(record, place)) continue;
    const key = record.key as Uint8Array;
    bytes.set(key, at + 1);
    places[count] = place;
    starts[count] = at;
    at += key.length + 2;
    ends[count++] = at;
  }
  return { bytes, places, starts, ends, count };
}

/** The keys among these that were not found, without their quotes. */
function withoutQuotes({ bytes, places, starts, ends, count }: QuotedKeys, formOfPlace: Uint8Array): QuotedKeys {
  const left = places.subarray(0, count).map((_, i) => i);
  const unmatched = left.filter((i) => formOfPlace[places[i] as number] === forms.other);
  return {
    bytes,
    places: unmatched.map((i) => places[i] as number),
    starts: unmatched.map((i) => (starts[i] as number) + 1),
    ends: unmatched.map((i) => (ends[i] as number) - 1),
    count: unmatched.length,
  };
}

/** Tells whether a text is a string in JSON. */
function isQuoted(text: string): boolean {
  if (!text.startsWith('"')) return false;
  try {
    return typeof JSON.parse(text) === 'string';
  } catch {
    return false;
  }
}

/** A key as a message shows it: JSON as it is, and other text with quotes. */
function shownKey(key: Uint8Array | null, isJson: boolean): string {
  if (key === null) return 'missing';
  const text = Buffer.from(key).toString();
  return isJson || isQuoted(text) ? shownName(text) : shownValue(text);
}

export class MessageKeys {
  readonly #isJson: boolean;
  readonly #scanner: KeyScanner | undefined;
  #form: Form = forms.either;

  /** @param scanner what has found the keys, if it was a scanner */
  constructor({ format }: KeyOptions, scanner: KeyScanner | undefined) {
    this.#isJson = format === 'ndjson';
    this.#scanner = scanner;
  }

  /**
   * Returns the form in which each message has the key that was scanned. It compares fingerprints, because keys have no
   * objects here.
   */
  formsIn(records: readonly KafkaRecord[], scanned: Scanned, settings: DetectorSettings): Uint8Array {
    const formOfPlace = new Uint8Array(records.length);
    const compare = (keys: QuotedKeys, formAt: (place: number) => Form) => {
      const fingerprints = this.#scanner?.hash(keys, settings);
      for (let i = 0; i < keys.count; i++) {
        const place = keys.places[i] as number;
        if (fingerprints?.[i] === scanned.fingerprints[place]) formOfPlace[place] = formAt(place);
      }
    };
    const quoted = quotedKeys(records, scanned);
    compare(quoted, () => forms.text);
    compare(withoutQuotes(quoted, formOfPlace), (place) =>
      formOfPlain((records[place] as KafkaRecord).key as Uint8Array),
    );
    return formOfPlace;
  }

  /** Tells if a form is the one of all messages before. */
  takes(form: number): boolean {
    if (form === forms.other) return false;
    if (form === forms.either) return true;
    if (this.#form === forms.either) this.#form = form as Form;
    return this.#form === form;
  }

  /** Why a message is refused whose key is another than the one that is compared. */
  refusalOf({ key: message }: KafkaRecord, key: Uint8Array): FirstseenError | undefined {
    const form = message && (this.#isJson ? formOf(message, key) : isSame(message, key) ? forms.either : forms.other);
    if (form !== null && this.takes(form)) return undefined;
    const isOtherForm = form !== null && form !== forms.other;
    const difference = isOtherForm
      ? `has its message key ${form === forms.json ? 'with' : 'without'} quotes, unlike the records before it`
      : `has a message key that differs from the key that is compared: ${shownKey(message, false)}, not ${shownKey(key, this.#isJson)}`;
    const problem = `the record ${difference}; so equal keys may be in several partitions, and would pass in each`;
    return new FirstseenError('E_OTHER_KEY', problem, {
      remedy: phrase`give ${optionName('repartition')} and a topic, to repartition the records by the key, with another ${optionName('group')} and other outputs; or give ${optionName('partitioned')} if equal keys are in one partition all the same`,
    });
  }
}
