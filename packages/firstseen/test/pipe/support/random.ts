// Conversations of random frames, some of them changed, in random chunks: what is answered to each, and what a detector of the library says.

import { create, type Detector } from '../../../src/index.js';
import type { Random } from '../../support/streams.js';
import { answersTo, frame, integersOf, keysOf, kinds, type SentFrame } from './client.js';

/** A frame of a conversation. */
interface Sent {
  bytes: Buffer;
  kind: number;
  request: number;
  detector: number;
  /** True if bytes of it were changed. */
  isChanged: boolean;
  keys?: readonly (string | bigint)[];
  options?: object;
}

const optionsOfDetectors: readonly object[] = [
  { memory: '1KiB' },
  { algorithm: 'exact', memory: '1KiB' },
  { algorithm: 'exactwindow', memory: '2KiB', window: 50 },
  { memory: '4KiB', window: 100 },
  { memory: '1KiB', fingerprint: 'identity' },
  { memory: '1KiB', keys: ['id'] },
  { memory: '1KiB', partitions: 4 },
];

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)] as Item;
}

function someKeys(random: Random): string[] {
  return Array.from({ length: random.below(80) }, () => `${random.below(150)}`);
}

type Made = Pick<Sent, 'kind' | 'keys' | 'options'> & { body: Uint8Array | object | string };

function keysMade(kind: number, random: Random): Made {
  const form = random.below(6);
  const keys = someKeys(random);
  if (form === 2) {
    const integers = keys.map(BigInt);
    return { kind, keys: integers, body: integersOf(integers) };
  }
  if (form >= 3)
    return {
      kind,
      body: keysOf(
        keys.map((key) => `{"id":${key}}`),
        { form },
      ),
    };
  return { kind, keys, body: keysOf(keys, { form, first: random.below(3) * 1000 }) };
}

function made(random: Random): Made {
  const choice = random.below(14);
  if (choice < 2) {
    const options = pick(optionsOfDetectors, random);
    return { kind: kinds.create, options, body: { options, ...(random.below(3) === 0 ? { claims: {} } : {}) } };
  }
  if (choice < 8) return keysMade(pick([kinds.observe, kinds.observe, kinds.test], random), random);
  if (choice < 10) {
    const json = Buffer.from('{"token":"t"}');
    const body = Buffer.concat([Buffer.from([json.length, 0, 0, 0]), json, keysOf(someKeys(random))]);
    return { kind: pick([kinds.claim, kinds.commit, kinds.abort, kinds.extend], random), body };
  }
  if (choice === 10) return { kind: kinds.bytes, body: 'no snapshot' };
  if (choice === 11) return { kind: pick([kinds.load, kinds.save], random), body: {} };
  return { kind: pick([kinds.stats, kinds.clear, kinds.close, kinds.advance], random), body: '' };
}

/** The offsets of the length and of the number of the request, by which frames and answers are found. */
const keptOffsets: readonly number[] = [0, 1, 2, 3, 8, 9, 10, 11];

/** Changes some bytes. */
function changed(bytes: Buffer, random: Random): void {
  for (let i = 0; i <= random.below(3); i++) {
    const at = random.below(bytes.length);
    if (!keptOffsets.includes(at)) bytes[at] = random.below(256);
  }
}

function sentFrame(request: number, random: Random): Sent {
  const { body, ...rest } = made(random);
  const detector = random.below(3);
  const bytes = frame(rest.kind, body, request, detector);
  const isChanged = random.below(8) === 0;
  if (isChanged) changed(bytes, random);
  return { ...rest, bytes, request, detector, isChanged };
}

function chunksOf(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  const ends = [...cuts, bytes.length];
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

/** Observes or tests with the library. */
function expectedOf(detector: Detector, { kind, keys }: Sent): Uint8Array {
  return kind === kinds.observe ? detector.observeMany(keys ?? []) : detector.testMany(keys ?? []);
}

/** The detectors of the library that have the same requests behind them, as far as that is known. */
class Twins {
  readonly #detectors = new Map<number, Detector>();

  /** @returns a difference between an answer and that of the twin */
  async follow(sent: Sent, answer: SentFrame): Promise<string | undefined> {
    const { kind, detector: number, options } = sent;
    if (answer.kind === kinds.error) return undefined;
    const twin = this.#detectors.get(number);
    // A changed frame may be for any detector.
    if (sent.isChanged) this.#detectors.clear();
    else if (kind === kinds.create && options) this.#detectors.set(number, await create(options));
    else if (twin && (kind === kinds.observe || kind === kinds.test) && sent.keys) {
      const expected = expectedOf(twin, sent);
      // A key that a claim holds is not added.
      if (answer.body.includes(2)) this.#detectors.delete(number);
      else if (Buffer.compare(answer.body, expected) !== 0) return `request ${sent.request} has other verdicts`;
    } else if (kind !== kinds.stats && kind !== kinds.save && kind !== kinds.extend) this.#detectors.delete(number);
    return undefined;
  }
}

/** Lines for answers, without what depends on the time. */
function shown(answers: readonly SentFrame[]): string[] {
  return answers.map(
    ({ kind, request, body }) => `${kind} ${request} ${kind === kinds.claim ? '' : body.toString('latin1')}`,
  );
}

/** A difference between what is answered to random frames and what has to be; undefined if there is none. */
export async function differenceOver(random: Random): Promise<string | undefined> {
  const sent = Array.from({ length: 1 + random.below(30) }, (_, i) => sentFrame(i + 1, random));
  const whole = Buffer.concat(sent.map(({ bytes }) => bytes));
  const isCut = random.below(4) === 0;
  const bytes = isCut ? whole.subarray(0, random.below(whole.length)) : whole;
  const { answers, error } = await answersTo([bytes]);
  if (error !== undefined && (error as { code?: string }).code !== 'E_FRAME') return `it ended with ${error}`;
  const inChunks = await answersTo(chunksOf(bytes, random));
  if (shown(inChunks.answers).join('\n') !== shown(answers).join('\n')) return 'chunks have other answers';
  const twins = new Twins();
  for (const one of sent) {
    const answer = answers.find(({ request, kind }) => request === one.request && kind !== kinds.bytes);
    const difference = answer && (await twins.follow(one, answer));
    if (difference !== undefined) return difference;
    if (!answer && !isCut && !one.isChanged && one.kind !== kinds.bytes) return `request ${one.request} has no answer`;
  }
  return undefined;
}
