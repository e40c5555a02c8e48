// The points that a pointer notes on the way of the window's clock, where the times of the output do not say it.

import { expect, it } from 'vitest';
import { Detector } from '../../src/detectors/detector.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { EmittedTrack, PastTimes } from '../../src/kafka/observing/emitted.js';
import type { Outcome } from '../../src/kafka/observing/observing.js';
import type { ClockPoint } from '../../src/kafka/pointers/pointer.js';
import { settingsWithKeys } from '../../src/plan/keys.js';
import { content } from './support/fakecluster.js';
import { choices } from './support/workers.js';

const MINUTE = 60_000;
const WINDOW = 60 * MINUTE;

const create = async () =>
  Detector.ofSettings(await settingsWithKeys({ window: '1h', memory: '4KiB', keys: ['id'], clock: 'manual' }));

const times = { timeOf: ({ timestamp }: KafkaRecord) => Math.max(0, timestamp) };

/** Records in the output, with the times of the window then. */
interface Followed {
  records: readonly KafkaRecord[];
  clocks: readonly number[];
  clock: readonly ClockPoint[];
}

/** Follows records of one partition: of those that are late, some come after a repeat that has moved the window. */
async function follow(
  count: number,
  timeOf: (time: number, choose: (below: number) => number) => number,
): Promise<Followed> {
  const detector = await create();
  const track = new EmittedTrack({ detector, noted: undefined, outputId: undefined });
  const choose = choices(5);
  const records: KafkaRecord[] = [];
  const clocks: number[] = [];
  let [time, before, most] = [WINDOW, 0, 0];
  for (let offset = 0; offset < count; offset++) {
    time += choose(MINUTE / 30);
    const record = { ...content(null, 'x', timeOf(time, choose)), partition: 0, offset };
    const outcome: Outcome = choose(2) === 0 ? 'distinct' : 'duplicate';
    track.add({ records: [record], outcomes: [outcome] }, times, before);
    before = Math.max(before, record.timestamp);
    if (outcome === 'distinct') {
      records.push(record);
      clocks.push(before);
    }
    most = Math.max(most, track.note(offset + 1, before).clock.length);
  }
  expect(most).toBeLessThanOrEqual(65);
  return { records, clocks, clock: track.note(count, before).clock };
}

/** The time of the window at each record, as it is made again from the output. */
async function pastClocks({ records, clock }: Followed): Promise<number[]> {
  const detector = await create();
  const past = new PastTimes({ detector, clock, records: 0 });
  const clocks: number[] = [];
  past.replay(records, (some) => {
    for (const record of some) {
      detector.advance(Math.max(detector.clockMilliseconds, past.timeOf(record)));
      clocks.push(detector.clockMilliseconds);
    }
  });
  return clocks;
}

it('has no points where records come in the order of their times', async () => {
  const followed = await follow(1000, (time) => time);
  expect(followed.clock).toHaveLength(1);
  expect(await pastClocks(followed)).toEqual(followed.clocks);
});

it('is exact while few records are late', async () => {
  const followed = await follow(1000, (time, choose) => (choose(60) === 0 ? time - choose(WINDOW) : time));
  expect(followed.clock.length).toBeGreaterThan(3);
  expect(await pastClocks(followed)).toEqual(followed.clocks);
});

it('is within a sixteenth of the window where many are late', async () => {
  const followed = await follow(20_000, (time, choose) => time - choose(MINUTE));
  const found = await pastClocks(followed);
  const end = followed.clocks.at(-1) as number;
  let differences = 0;
  for (const [i, clock] of followed.clocks.entries()) {
    if (clock < end - WINDOW) continue;
    expect(Math.abs((found[i] as number) - clock)).toBeLessThanOrEqual(WINDOW / 16);
    if (found[i] !== clock) differences++;
  }
  expect(differences).toBeGreaterThan(0);
});
