// The kinds of frames, a row each. docs/PIPE.md has a table of them.

import { checkOptions } from '../base/check.js';
import { FirstseenError, invalidOption } from '../base/errors.js';
import { planMeasured } from '../plan/measured.js';
import { claimKeys, settleKeys } from './claiming.js';
import type { HeldDetectors } from './held.js';
import { createHeld, descriptionOf, IncomingSnapshot, loadHeld, saveHeld } from './opened.js';
import { type Request, readJson } from './request.js';

/** Runs a request, which is answered when it returns, or when its promise resolves. An `IncomingSnapshot` is what the next frames bring. */
export type RunRequest = (request: Request, detectors: HeldDetectors) => unknown;

export interface KindRow {
  /** The number of the kind. It is never used for another one. */
  readonly number: number;
  readonly name: string;
  /** The side that writes such frames. */
  readonly from: 'parent' | 'child' | 'both';
  /** The content of the body that the parent writes. */
  readonly body?: string;
  /** The content of the body that the child writes. */
  readonly answer?: string;
  readonly does: string;
  readonly run?: RunRequest;
}

export const hello = {
  ...{ number: 0, name: 'hello', from: 'child' },
  answer: 'JSON: `protocol`, `version`, `maxBodyBytes`, `kinds`',
  does: 'is the first frame, before any request',
} as const satisfies KindRow;

export const error = {
  ...{ number: 255, name: 'error', from: 'child' },
  answer: 'JSON: `code`, `message`, `remedy`, `option`, `expected`',
  does: 'answers a request that was refused, and has changed nothing',
} as const satisfies KindRow;

export const bytes = {
  ...{ number: 3, name: 'bytes', from: 'both' },
  ...{ body: 'bytes of a snapshot; none at its end', answer: 'bytes of a snapshot' },
  does: 'follows `load` without a path, and precedes the answer of `save` without one; has no answer of its own',
} as const satisfies KindRow;

const create: KindRow = {
  ...{ number: 1, name: 'create', from: 'parent' },
  body: 'JSON: `type` (`keys`, `near` or `passages`), `options`, `claims`',
  answer: 'JSON: `type`, `settings`, `note`',
  does: 'creates the detector of this number, with the options of `create`, `createNear` or `createPassages`, and of `createClaims`',
  async run(request, detectors) {
    detectors.checkFree(request.detector);
    const held = await createHeld(request.body);
    detectors.add(request.detector, held);
    request.answerJson(descriptionOf(held));
  },
};

const load: KindRow = {
  ...{ number: 2, name: 'load', from: 'parent' },
  body: 'JSON: as `create`, and `path`; `options` are those of `load`, `loadNear` or `loadPassages`',
  answer: 'JSON: as `create`; `note` is in base64',
  does: 'loads the detector from a file, or without a path from frames `bytes`',
  async run(request, detectors) {
    detectors.checkFree(request.detector);
    const held = await loadHeld(request.body);
    if (held instanceof IncomingSnapshot) return held;
    addLoaded(request, detectors, held);
  },
};

/** Adds a detector that was loaded, and answers. */
export function addLoaded(request: Request, detectors: HeldDetectors, held: Parameters<HeldDetectors['add']>[1]): void {
  detectors.add(request.detector, held);
  request.answerJson(descriptionOf(held));
}

const save: KindRow = {
  ...{ number: 4, name: 'save', from: 'parent' },
  ...{ body: 'JSON: `path`, `note` in base64', answer: 'JSON: `path`, or `bytes`' },
  does: 'saves the detector in a file, which is replaced as a whole, or without a path in frames `bytes`',
  async run(request, detectors) {
    request.answerJson(await saveHeld(detectors.get(request.detector), request, bytes.number));
  },
};

const observe: KindRow = {
  ...{ number: 5, name: 'observe', from: 'parent' },
  ...{ body: 'keys, documents or texts', answer: 'a verdict for each' },
  does: 'observes all of them or none, in order',
  run: (request, detectors) => detectors.get(request.detector).observe(request),
};

const test: KindRow = {
  ...{ number: 6, name: 'test', from: 'parent' },
  ...{ body: 'keys, documents or texts', answer: 'a verdict for each' },
  does: 'answers as `observe`, and adds nothing: 1 for a key that the detector has',
  run: (request, detectors) => detectors.get(request.detector).test(request),
};

const CLAIM_BODY = '4 bytes with the length of JSON, the JSON: `token`, and keys';

const claim: KindRow = {
  ...{ number: 7, name: 'claim', from: 'parent' },
  body: '4 bytes with the length of JSON, the JSON: `token`, `lease`, and keys',
  answer: 'for each key 8 bytes, the milliseconds until a key that is pending is free; then a verdict for each',
  does: 'claims keys of a detector that was made with `claims`, all or none, with the token of the frame',
  run: (request, detectors) => claimKeys(request, detectors.keysOf(request.detector)),
};

const commit: KindRow = {
  ...{ number: 8, name: 'commit', from: 'parent' },
  ...{ body: CLAIM_BODY, answer: '1 for each key whose claim was committed' },
  does: 'marks the keys seen whose claims have this token',
  run: (request, detectors) =>
    settleKeys(request, detectors.keysOf(request.detector), (claims, keys, tokens) => claims.commitMany(keys, tokens)),
};

const abort: KindRow = {
  ...{ number: 9, name: 'abort', from: 'parent' },
  ...{ body: CLAIM_BODY, answer: '1 for each key whose claim was aborted' },
  does: 'releases the keys whose claims have this token',
  run: (request, detectors) =>
    settleKeys(request, detectors.keysOf(request.detector), (claims, keys, tokens) => claims.abortMany(keys, tokens)),
};

const extend: KindRow = {
  ...{ number: 10, name: 'extend', from: 'parent' },
  ...{ body: CLAIM_BODY, answer: '1 for each key whose lease begins again' },
  does: 'restarts the leases of the claims that have this token',
  run: (request, detectors) =>
    settleKeys(request, detectors.keysOf(request.detector), (claims, keys, tokens) => claims.extendMany(keys, tokens)),
};

const stats: KindRow = {
  ...{ number: 11, name: 'stats', from: 'parent' },
  ...{
    body: 'JSON: `load`: false leaves out what is counted over the whole memory',
    answer: 'JSON: the stats of the library',
  },
  does: 'tells what the detector has done',
  run(request, detectors) {
    const { load: hasLoad = true } = checkOptions(readJson(request.body) as { load?: boolean }, { load: true });
    request.answerJson(detectors.get(request.detector).stats(hasLoad));
  },
};

const advance: KindRow = {
  ...{ number: 12, name: 'advance', from: 'parent' },
  ...{ body: 'JSON: `milliseconds` since 1970', answer: 'none' },
  does: 'sets the time of a detector with `clock` `manual`',
  run(request, detectors) {
    const { milliseconds } = checkOptions(readJson(request.body) as { milliseconds: number }, { milliseconds: true });
    detectors.get(request.detector).advance(milliseconds);
    request.answer(0, () => undefined);
  },
};

const clear: KindRow = {
  ...{ number: 13, name: 'clear', from: 'parent' },
  ...{ body: 'none', answer: 'none' },
  does: 'makes a detector of keys as it was when it was created, and ends its claims',
  run(request, detectors) {
    detectors.keysOf(request.detector).clear();
    request.answer(0, () => undefined);
  },
};

const close: KindRow = {
  ...{ number: 14, name: 'close', from: 'parent' },
  ...{ body: 'none', answer: 'none' },
  does: 'releases the detector and its number',
  run(request, detectors) {
    detectors.close(request.detector);
    request.answer(0, () => undefined);
  },
};

const plan: KindRow = {
  ...{ number: 15, name: 'plan', from: 'parent' },
  ...{ body: 'JSON: the options of `plan`', answer: 'JSON: the plan of the library' },
  does: 'recommends an algorithm, its parameters and memory; takes seconds, and needs no detector',
  async run(request) {
    const { stream, ...options } = readJson(request.body);
    if (stream !== undefined) throw invalidOption({ option: 'stream', given: stream, expected: 'left out' });
    request.answerJson(await planMeasured(options));
  },
};

/** All kinds, in the order of their numbers. */
export const kindRows: readonly KindRow[] = [
  ...[hello, create, load, bytes, save, observe, test],
  ...[claim, commit, abort, extend],
  ...[stats, advance, clear, close, plan, error],
];

const rowOfNumber: ReadonlyMap<number, KindRow> = new Map(kindRows.map((row) => [row.number, row]));

/** The function that runs requests of a kind. @throws FirstseenError E_FRAME for a kind that a parent does not write */
export function runnerOf(kind: number): RunRequest {
  const run = rowOfNumber.get(kind)?.run;
  if (run) return run;
  throw new FirstseenError('E_FRAME', `a frame has kind ${kind}, which is not a request`, {
    remedy: 'send one of the kinds that hello names',
  });
}
