// Compares claims with a model that keeps every claim in a list, and with detectors that observe directly.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../src/base/errors.js';
import type { Claim, ClaimAnswer } from '../../src/claims/claim.js';
import type { Claims } from '../../src/claims/claims.js';
import { createClaims } from '../../src/claims/open.js';
import { Detector } from '../../src/detectors/detector.js';
import { allCases, chosenCases, contentsOf, createDetector } from '../support/cases.js';
import { inLongForm, sampleNote } from '../support/form.js';
import { recency } from '../support/streams.js';

const PENDING = 3;
const LEASE_MILLISECONDS = 10;

interface ModelClaim {
  key: number;
  expiresAt: number;
  state: 'held' | 'lost' | 'committed' | 'late' | 'aborted';
}

/** Claims as the documentation describes them: slow, and with a limit only for the answer that reports it. */
class Model {
  time = 0;
  readonly claims: ModelClaim[] = [];
  readonly seen = new Set<number>();
  expired = 0;
  late = 0;
  committed = 0;

  advance(milliseconds: number): void {
    this.time += milliseconds;
    for (const claim of this.held()) {
      if (claim.expiresAt > this.time) continue;
      claim.state = 'lost';
      this.expired++;
    }
  }

  held(): ModelClaim[] {
    return this.claims.filter(({ state }) => state === 'held');
  }

  holder(key: number): ModelClaim | undefined {
    return this.held().find((claim) => claim.key === key);
  }

  claim(key: number): unknown {
    const holder = this.holder(key);
    if (holder) return { verdict: 'pending', remainingMilliseconds: holder.expiresAt - this.time };
    if (this.seen.has(key)) return { verdict: 'duplicate' };
    if (this.held().length === PENDING) return 'E_CLAIMS_FULL';
    this.claims.push({ key, expiresAt: this.time + LEASE_MILLISECONDS, state: 'held' });
    return 'distinct';
  }

  commit(claim: ModelClaim): string {
    if (claim.state === 'aborted') return 'E_CLAIM_ABORTED';
    if (claim.state === 'committed' || claim.state === 'late') return claim.state;
    const holder = this.holder(claim.key);
    if (holder) {
      holder.state = 'lost';
      this.committed++;
    }
    claim.state = holder === claim ? 'committed' : 'late';
    if (claim.state === 'late') this.late++;
    this.seen.add(claim.key);
    return claim.state;
  }

  abort(claim: ModelClaim): boolean {
    const wasHeld = claim.state === 'held';
    if (wasHeld || claim.state === 'lost') claim.state = 'aborted';
    return wasHeld;
  }

  extend(claim: ModelClaim): boolean {
    if (claim.state === 'held') claim.expiresAt = this.time + LEASE_MILLISECONDS;
    return claim.state === 'held';
  }
}

type Step = { do: 'claim' | 'commit' | 'abort' | 'extend' | 'advance'; on: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), on: fc.nat(5) }) },
    // The period counts from the latest claim.
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('commit', 'abort', 'extend'), on: fc.nat(6) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), on: fc.nat(12) }) },
  ),
  { minLength: 20, maxLength: 60 },
);

/** Results that the sequences must produce, including the rare ones. */
const allAnswers = [
  'abort: false',
  'abort: true',
  'claim: E_CLAIMS_FULL',
  'claim: distinct',
  'claim: duplicate',
  'claim: pending',
  'commit: E_CLAIM_ABORTED',
  'commit: committed',
  'commit: late',
  'extend: false',
  'extend: true',
];

/** The answer, or the code of the error that was thrown instead. */
function answerOrCode(answer: () => unknown): unknown {
  try {
    return answer();
  } catch (error) {
    if (error instanceof FirstseenError) return error.code;
    throw error;
  }
}

function claimInto(handles: Claim[], claims: Claims, key: number): unknown {
  return answerOrCode(() => {
    const answer = claims.claim(key);
    if (answer.verdict !== 'distinct') return answer;
    handles.push(answer);
    return 'distinct';
  });
}

describe('claims', () => {
  test('answer like a model that keeps all of them', async () => {
    const met = new Set<string>();
    const property = fc.asyncProperty(steps, async (sequence) => {
      const detector = await Detector.create({ algorithm: 'exact', memory: 1024 });
      const model = new Model();
      const handles: Claim[] = [];
      const claims = createClaims(detector, {
        pending: PENDING,
        lease: LEASE_MILLISECONDS,
        now: () => model.time,
      });
      for (const { do: step, on } of sequence) {
        const at = handles.length - 1 - on;
        if (step === 'advance') {
          model.advance(on);
        } else if (step === 'claim') {
          const answer = claimInto(handles, claims, on);
          expect(answer).toEqual(model.claim(on));
          met.add(`${step}: ${typeof answer === 'object' ? (answer as ClaimAnswer).verdict : answer}`);
        } else if (at >= 0) {
          const answer = answerOrCode(() => (handles[at] as Claim)[step]());
          expect(answer).toBe(model[step](model.claims[at] as ModelClaim));
          met.add(`${step}: ${answer}`);
        }
      }
      const { expired, late, committed } = model;
      const stats = claims.stats();
      expect(stats).toMatchObject({ pending: model.held().length, expired, late, committed });
      expect(stats.pending + stats.committed + stats.aborted + stats.expired).toBe(handles.length);
      for (let key = 0; key <= 5; key++) expect(detector.test(key) === 'duplicate').toBe(model.seen.has(key));
    });
    await fc.assert(property, { numRuns: inLongForm(200, 50), seed: 1 });
    expect([...met].sort()).toEqual(allAnswers);
  });
});

describe.each(chosenCases(allCases(20_001)))(`$name${sampleNote}`, ({ options }) => {
  test('answers claims that are committed immediately like observe, and ends in the same state', async () => {
    const [observing, claiming] = await Promise.all([createDetector(options), createDetector(options)]);
    const claims = createClaims(claiming, { pending: 1 });
    for (const element of recency(600, 80)) {
      const claim = claims.claim(element);
      expect(claim.verdict).toBe(observing.observe(element));
      if (claim.verdict === 'distinct') claim.commit();
    }
    expect(contentsOf(claiming)).toBe(contentsOf(observing));
  });
});
