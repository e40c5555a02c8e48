// A detector of the store, with what is known of it besides.

import { defined } from '../../base/defined.js';
import type { Claims } from '../../claims/claims.js';
import type { HeldClaim } from '../../claims/held.js';
import { createClaims } from '../../claims/open.js';
import { type ClaimsOptions, DEFAULT_LEASE_MILLISECONDS } from '../../claims/options.js';
import type { Detector } from '../../detectors/detector.js';
import type { DetectorCounts } from '../../detectors/detectorstats.js';
import type { Change, ChangeKind, Observed, RecordedEntry, Recording } from './changes.js';
import { ClaimMemory } from './heldmemory.js';
import type { OtherCounters } from './othercounters.js';
import { Refused } from './refused.js';
import { type ClaimsRequest, type DetectorRequest, withExpectations } from './request.js';
import { type RequestMemory, Requests } from './requestids.js';
import { costOf } from './room.js';

/** The store of a detector, as far as the detector needs it. */
type Owner = Recording & RequestMemory & { readonly others: OtherCounters };

export interface EntryOptions {
  /** A number that no other detector of the data folder ever had. */
  number: number;
  name: string;
  detector: Detector;
  request: DetectorRequest;
  owner: Owner;
}

function claimsOptions({ leaseMilliseconds, pending }: ClaimsRequest): ClaimsOptions {
  return defined({ lease: leaseMilliseconds, pending });
}

/** A named detector. */
export class DetectorEntry implements RecordedEntry {
  readonly number: number;
  readonly name: string;
  readonly detector: Detector;
  /** The request that it was made from, with the expectations of the latest request for it. */
  request: DetectorRequest;
  readonly requests: Requests;
  /** The keys that it refused since the server started. */
  readonly refused = new Refused();
  readonly #owner: Owner;
  /** Undefined unless the detector was made for claims. */
  readonly claims: Claims | undefined;
  /** The claims that hold keys, as far as a log or a snapshot was read. */
  readonly #heldBefore = new Map<bigint, HeldClaim>();
  /** True if the store no longer has it. */
  isDropped = false;
  /** The counts of the detector before the store had it; undefined for a new one. */
  readonly countsBefore: DetectorCounts | undefined;
  /** The time of the latest element of a detector whose window is a duration; 0 otherwise. */
  timeMilliseconds = 0;

  constructor({ number, name, detector, request, owner }: EntryOptions) {
    this.number = number;
    this.name = name;
    this.detector = detector;
    this.request = request;
    this.#owner = owner;
    this.requests = new Requests(owner);
    this.countsBefore = detector.observed > 0 ? detector.counts : undefined;
    this.timeMilliseconds = detector.clockMilliseconds;
    this.claims = request.claims && createClaims(detector, claimsOptions(request.claims));
    this.claims?.countHeld(new ClaimMemory(owner));
  }

  /** True if the changes of the detector are told to a recorder. */
  get isRecorded(): boolean {
    return this.#owner.recorder !== undefined;
  }

  /** Tells the recorder of a change, if there is one. */
  record<Kind extends ChangeKind>(kind: Kind, ...change: Change<Kind>): void {
    this.#owner.recorder?.record(kind, this, ...change);
  }

  /** Takes the expectations of a later request for the same detector. */
  expect(later: DetectorRequest): void {
    const request = withExpectations(this.request, later);
    if (request === undefined) return;
    this.request = request;
    this.record('expected');
  }

  get isTimed(): boolean {
    return this.detector.settings.parameters.isTimed === true;
  }

  /** Bytes of its cells that were asked for. */
  get memoryBytes(): number {
    return this.detector.settings.memoryBytes;
  }

  /** Bytes that it takes, with what it has besides the cells. */
  get costBytes(): number {
    return costOf(this.detector.settings, this.request);
  }

  /** The time for which a claim holds its key, unless it says so itself. */
  get leaseMilliseconds(): number {
    return this.request.claims?.leaseMilliseconds ?? DEFAULT_LEASE_MILLISECONDS;
  }

  /** Elements that were added, without repeats. */
  get distinct(): number {
    return this.detector.observed - this.detector.duplicates;
  }

  /** New elements for which there is room: any number, unless the filter refuses more. */
  get room(): number {
    const { filter } = this.request;
    return filter?.isNonScaling ? filter.capacity - this.distinct : Number.POSITIVE_INFINITY;
  }

  /** Milliseconds by which the time of a window is ahead of the clock of this machine: nothing leaves it until then. 0 if it is not. */
  get aheadMilliseconds(): number {
    return this.isTimed ? Math.max(0, this.timeMilliseconds - Date.now()) : 0;
  }

  /** Moves a window in time to the present. The log has this time, so that a replay gives the same answers. */
  keepTime(): void {
    if (this.isTimed) this.#advance(Date.now());
  }

  /** Observes what the log has. */
  replay({ fingerprints, timeMilliseconds, id }: Observed): void {
    if (this.isTimed) this.#advance(timeMilliseconds);
    const verdicts = this.detector.observeBatch(fingerprints);
    // A key that is observed is not held: its claim was settled, or its lease had ended.
    if (this.#heldBefore.size > 0) for (const fingerprint of fingerprints) this.#heldBefore.delete(fingerprint);
    if (id !== undefined) this.requests.remember(id, fingerprints, verdicts);
  }

  replayExpected(request: DetectorRequest): void {
    this.request = request;
  }

  /** Notes what a claim holds, or held. It is held again when the replay ends. */
  replayHeld(claim: HeldClaim): void {
    this.#heldBefore.set(claim.fingerprint, claim);
  }

  replayReleased(fingerprint: bigint): void {
    this.#heldBefore.delete(fingerprint);
  }

  /**
   * Claims whose leases have not ended hold their keys again. The detector is not asked. Its window may be at an earlier time, when the key
   * was still in it, or when there was no room.
   */
  holdAgain(held: Iterable<HeldClaim>): void {
    for (const claim of held) this.claims?.holdAgain(claim);
  }

  /** Ends a replay. */
  endReplay(): void {
    this.holdAgain(this.#heldBefore.values());
    this.#heldBefore.clear();
  }

  /** Makes the detector as it was when it was created: it has seen nothing, and nothing is held. Who waits for a key may claim it. */
  clear(): void {
    this.#owner.others.clear(this, () => this.#clear());
  }

  #clear(): void {
    this.detector.clear();
    this.requests.clear();
    this.timeMilliseconds = 0;
    this.#heldBefore.clear();
    this.claims?.endAll();
  }

  /** Ends its claims: who waits for a key finds that the detector was dropped. */
  drop(): void {
    this.isDropped = true;
    this.requests.clear();
    this.claims?.endAll();
  }

  #advance(timeMilliseconds: number): void {
    this.timeMilliseconds = Math.max(this.timeMilliseconds, timeMilliseconds);
    this.detector.advance(this.timeMilliseconds);
  }
}
