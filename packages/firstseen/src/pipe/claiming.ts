// Claims on the keys of frames.

import { checkOptions, type OptionNames } from '../base/check.js';
import type { ClaimAnswer } from '../claims/claim.js';
import type { Claims } from '../claims/claims.js';
import { checkToken } from '../claims/context.js';
import type { Key } from '../detectors/key.js';
import { frameError } from './frames.js';
import type { KeyDetector } from './keydetector.js';
import { type Request, readJson } from './request.js';

/** The options of all claims of a frame. */
interface ClaimsRequest {
  token: string;
  lease?: number | string;
}

const requestNames: OptionNames<ClaimsRequest> = { token: true, lease: true };

const [LENGTH_BYTES, NUMBER_BYTES] = [4, 8];

/** The numbers of the answers for claimed keys. */
const verdictNumbers: Readonly<Record<ClaimAnswer['verdict'], number>> = {
  distinct: 0,
  duplicate: 1,
  pending: 2,
  mismatch: 3,
};

/** The parts of the body of a frame: JSON after its length, and the keys. @throws FirstseenError E_FRAME */
function partsOf(body: Uint8Array): { options: ClaimsRequest; keys: Uint8Array } {
  if (body.length < LENGTH_BYTES) throw frameError('the body of a frame ends before the length of its JSON');
  const end = LENGTH_BYTES + new DataView(body.buffer, body.byteOffset).getUint32(0, true);
  if (end > body.length) throw frameError('the body of a frame ends in its JSON');
  const options = checkOptions(readJson(body.subarray(LENGTH_BYTES, end)) as unknown as ClaimsRequest, requestNames);
  checkToken(options.token);
  return { options, keys: body.subarray(end) };
}

/** Claims the keys of a frame, all with one token. For each, the time until it is free again, and the verdict. */
export function claimKeys(request: Request, detector: KeyDetector): void {
  const { claims } = detector;
  const { options, keys: body } = partsOf(request.body);
  const keys = detector.keyList(body, request.context.offsets);
  const answers = claims.claimMany(keys, Array(keys.length).fill(options));
  const { length } = answers;
  request.answer(length * (NUMBER_BYTES + 1), (target) => {
    const view = new DataView(target.buffer, target.byteOffset);
    for (const [i, answer] of answers.entries()) {
      const remaining = answer.verdict === 'pending' ? answer.remainingMilliseconds : 0;
      view.setFloat64(i * NUMBER_BYTES, remaining, true);
      target[length * NUMBER_BYTES + i] = verdictNumbers[answer.verdict];
    }
  });
}

/** A function that settles claims or extends them, such as `Claims.commitMany`. */
type SettleMany = (claims: Claims, keys: readonly Key[], tokens: readonly string[]) => boolean[];

/** Settles the claims on the keys of a frame that have its token: 1 for each that held its key. */
export function settleKeys(request: Request, detector: KeyDetector, settle: SettleMany): void {
  const { claims } = detector;
  const { options, keys: body } = partsOf(request.body);
  const keys = detector.keyList(body, request.context.offsets);
  const settled = settle(claims, keys, Array(keys.length).fill(options.token));
  request.answer(settled.length, (target) => target.set(settled.map(Number)));
}
