import { describe, expect, test } from 'vitest';
import { FAMILY_PARAMETER } from '../../../src/kernel/abi.js';
import { compileLibrary } from '../../support/assembly.js';

interface MilestonesLibrary {
  configureEntries(replacementBytes: number): void;
  configureMilestones(milestones: number): void;
  takeEntry(): number;
  unmark(entry: number): void;
  enterRing(entry: number): void;
  renewEntry(entry: number): void;
  turnRing(): number;
  admitMilestone(entry: number): void;
  passMilestone(entry: number): void;
  knowUpcoming(count: number): number;
  upcomingEntry(ahead: number): number;
  milestonesAreValid(): number;
}

const PARAMETERS_OFFSET = 0x4000;
const REGISTERS_OFFSET = 0x4200;
const DYNAMIC_OFFSET = 0xa0000;
const OBSERVED_REGISTER = 0;
const FAMILY_REGISTER = 8;
const STRIDE = 64;
const MAX_NEEDED = 128;
const CAPACITY = 8000;

const { exports: kernel, memory } = await compileLibrary<MilestonesLibrary>('entries', 'ring', 'milestones');
const registers = new BigUint64Array(memory.buffer, REGISTERS_OFFSET, 128);

/** A full LRU buffer, and the same order of use in an array, oldest first. */
class Ring {
  readonly order: number[] = [];
  readonly #random = { state: 1 };

  constructor(milestones: number) {
    new Uint8Array(memory.buffer).fill(0);
    new Float64Array(memory.buffer, PARAMETERS_OFFSET).set([DYNAMIC_OFFSET], 0);
    new Float64Array(memory.buffer, PARAMETERS_OFFSET).set([0, 8, CAPACITY], FAMILY_PARAMETER);
    kernel.configureEntries(8);
    kernel.configureMilestones(milestones);
    for (let i = 0; i < CAPACITY; i++) {
      const entry = kernel.takeEntry();
      kernel.enterRing(entry);
      this.#admit(entry);
    }
  }

  #admit(entry: number): void {
    kernel.admitMilestone(entry);
    this.order.push(entry);
    registers[OBSERVED_REGISTER] = (registers[OBSERVED_REGISTER] as bigint) + 1n;
  }

  replace(): void {
    const [entry, oldest] = [kernel.turnRing(), this.order.shift()];
    // An expectation for each of a million elements would take most of the time.
    if (entry !== oldest) throw new Error(`entry ${entry} is replaced, but ${oldest} is the oldest`);
    kernel.passMilestone(entry);
    this.#admit(entry);
  }

  use(place: number): void {
    const [entry] = this.order.splice(place, 1) as [number];
    kernel.unmark(entry);
    kernel.renewEntry(entry);
    this.order.push(entry);
  }

  /** Elements of which a given share is found, with every entry but the newest equally likely. */
  run(elements: number, found: number): void {
    for (let i = 0; i < elements; i++) {
      if (this.#next() < found) this.use(Math.floor(this.#next() * (CAPACITY - 1)));
      else this.replace();
    }
  }

  #next(): number {
    this.#random.state = (Math.imul(this.#random.state, 1664525) + 1013904223) >>> 0;
    return this.#random.state / 2 ** 32;
  }
}

const milestones = Math.ceil(CAPACITY / STRIDE) + 2;

function upcoming(count: number): number[] {
  return Array.from({ length: count }, (_, ahead) => kernel.upcomingEntry(ahead));
}

describe.each([
  ['with milestones', milestones, 900],
  ['without', 0, 130],
])('what will be replaced next, %s', (_name, room, far) => {
  test.each([
    [0, 1],
    [0.1, 0.9],
    [0.5, 0.5],
  ])('is known when a share of %d is found, but for what is used in between', (found, share) => {
    const ring = new Ring(room);
    const rounds = 200;
    let right = 0;
    for (let round = 0; round < rounds; round++) {
      ring.run(300, found);
      const known = kernel.knowUpcoming(MAX_NEEDED);
      expect(known).toBe(MAX_NEEDED);
      const oldest = new Set(ring.order.slice(0, MAX_NEEDED));
      right += upcoming(known).filter((entry) => oldest.has(entry)).length;
    }
    expect(right / (rounds * MAX_NEEDED)).toBeGreaterThanOrEqual(share);
  });

  test.each([0, 0.05, 0.4])('is followed to the expected length after a share of %d was found', (found) => {
    const ring = new Ring(room);
    ring.run(5 * CAPACITY, found);
    kernel.configureMilestones(room);
    kernel.knowUpcoming(MAX_NEEDED);
    expect(upcoming(far)).toEqual(ring.order.slice(0, far));
  });

  test.each([0.1, 0.2, 0.6])(
    'is completely known after a share of %d was found, if nothing is found afterwards',
    (found) => {
      const ring = new Ring(room);
      ring.run(5 * CAPACITY, found);
      kernel.configureMilestones(room);
      for (let round = 0; round < 50; round++) {
        expect(kernel.knowUpcoming(MAX_NEEDED)).toBe(MAX_NEEDED);
        expect(upcoming(MAX_NEEDED)).toEqual(ring.order.slice(0, MAX_NEEDED));
        ring.run(100, 0);
      }
    },
  );
});

test('a lost part of the queue is rebuilt from many milestones at a time', () => {
  const ring = new Ring(milestones);
  ring.run(5 * CAPACITY, 0.05);
  for (let round = 0; round < 20; round++) {
    kernel.knowUpcoming(MAX_NEEDED);
    // The last entry of the queue and the milestone after it are used: neither leads to the entries after them any
    // more.
    const farthest = upcoming(2000).findLastIndex((entry, ahead) => entry === ring.order[ahead]);
    ring.use(farthest);
    ring.use(farthest);
    let longest = 0;
    for (let step = 0; step < 40; step++) {
      ring.run(100, 0);
      kernel.knowUpcoming(MAX_NEEDED);
      const known = upcoming(2000);
      longest = Math.max(
        longest,
        known.findIndex((entry, ahead) => entry !== ring.order[ahead]),
      );
    }
    expect(longest).toBeGreaterThan(900);
  }
});

test('registers with more milestones in the ring than its capacity are invalid', () => {
  const ring = new Ring(milestones);
  ring.run(5 * CAPACITY, 0.1);
  expect(kernel.milestonesAreValid()).toBe(1);
  const [admitted, passed] = [FAMILY_REGISTER + 2, FAMILY_REGISTER + 3];
  const saved = registers[passed] as bigint;
  registers[passed] = saved - BigInt(milestones);
  expect(kernel.milestonesAreValid()).toBe(0);
  registers[passed] = (registers[admitted] as bigint) + 1n;
  expect(kernel.milestonesAreValid()).toBe(0);
  registers[passed] = saved;
  expect(kernel.milestonesAreValid()).toBe(1);
});

test('registers with more entries than observed elements are invalid', () => {
  new Ring(milestones);
  expect(kernel.milestonesAreValid()).toBe(1);
  registers[OBSERVED_REGISTER] = BigInt(CAPACITY - 1);
  expect(kernel.milestonesAreValid()).toBe(0);
});

test('a list whose milestones are all used before they are replaced stays within its capacity', () => {
  const ring = new Ring(milestones);
  for (let i = 0; i < 3 * CAPACITY; i++) {
    ring.replace();
    ring.replace();
    ring.use(CAPACITY - 2);
    ring.use(CAPACITY - 2);
    if (i % 100 > 0) continue;
    expect(kernel.milestonesAreValid()).toBe(1);
    expect(kernel.knowUpcoming(MAX_NEEDED)).toBe(MAX_NEEDED);
    expect(upcoming(MAX_NEEDED)).toEqual(ring.order.slice(0, MAX_NEEDED));
  }
});

test('registers that list milestones without capacity for any are invalid', () => {
  new Ring(0);
  expect(kernel.milestonesAreValid()).toBe(1);
  registers[FAMILY_REGISTER + 2] = 1n;
  expect(kernel.milestonesAreValid()).toBe(0);
});
