// Records whose times are ahead of the clock of the machine: they do not move the window, and a replay decides the same.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { readKafkaSettings, workerSettings } from '../../src/cli/kafka/settings.js';
import { Detector } from '../../src/detectors/detector.js';
import type { KafkaRecord } from '../../src/io/kafka/contract.js';
import { leadOf, WindowClock } from '../../src/kafka/observing/windowclock.js';
import { decodePointer, pointerKey } from '../../src/kafka/pointers/pointer.js';
import type { WorkerSettings } from '../../src/kafka/settings.js';
import { inLongForm } from '../support/form.js';
import { Crash, content, FakeCluster, Fate } from './support/fakecluster.js';
import { choices, isDone, makeTopics, ranToEnd, runToEnd, settingsFor, topics } from './support/workers.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 5, 1);
const ROUNDS = inLongForm(20, 8);

afterEach(() => {
  vi.restoreAllMocks();
});

/** The clock of the machine, as a test sets it. */
function machineClock(): { now: number } {
  const clock = { now: START };
  vi.spyOn(Date, 'now').mockImplementation(() => clock.now);
  return clock;
}

const detectors = [
  { window: '10m', memory: '16KiB', keys: ['id'] },
  { window: '10m', memory: '16KiB', algorithm: 'apbf', fpr: 0.001, keys: ['id'] },
  { window: '10m', memory: '64KiB', algorithm: 'exact', keys: ['id'] },
] as const;

interface Truth {
  /** Repeats within the window, and those of them that were written as first occurrences. */
  repeats: number;
  missed: number;
  /** Other records, and those of them that were not written. */
  fresh: number;
  lost: number;
}

/** Writes records of one partition, at most one in a second; some are ahead of the clock. */
function fill(cluster: FakeCluster, clock: { now: number }, choose: (below: number) => number, records: number): void {
  for (let i = 0; i < records; i++) {
    clock.now += choose(2000);
    const isEarly = choose(100) === 0;
    const value = JSON.stringify({ id: isEarly ? `early ${clock.now}` : choose(500), at: clock.now });
    cluster.append(topics.input, 0, content(null, value, isEarly ? clock.now + 50 * MINUTE : clock.now));
  }
}

/** What was written, compared with what each window has. Early records are not counted. */
function truthOf(cluster: FakeCluster): Truth {
  const read = (topic: string) => cluster.committedFrom(topic, 0, 0).records;
  const written = new Set(read(topics.output).map(({ value }) => Buffer.from(value as Uint8Array).toString()));
  const last = new Map<unknown, number>();
  const truth = { repeats: 0, missed: 0, fresh: 0, lost: 0 };
  for (const { value } of read(topics.input)) {
    const text = Buffer.from(value as Uint8Array).toString();
    const { id, at } = JSON.parse(text) as { id: unknown; at: number };
    if (typeof id === 'string') continue;
    const before = last.get(id);
    const isWritten = written.has(text);
    if (before !== undefined && at - before <= 10 * MINUTE) {
      truth.repeats++;
      if (isWritten) truth.missed++;
      // What a ring keeps for longer than the window is neither.
    } else if (before === undefined || at - before > 30 * MINUTE) {
      truth.fresh++;
      if (!isWritten) truth.lost++;
    }
    if (isWritten) last.set(id, at);
  }
  return truth;
}

function timedSettings(detector: WorkerSettings['detector'], changes: Partial<WorkerSettings> = {}): WorkerSettings {
  return settingsFor({ detector, asked: { window: '10m' }, partitions: 1, snapshotEvery: 1e9, ...changes });
}

function pointerIn(cluster: FakeCluster) {
  const key = pointerKey('group', { input: topics.input, partition: 0 });
  const { records } = cluster.committedFrom(topics.pointers, 0, 0);
  const latest = records.findLast((record) => Buffer.from(record.key as Uint8Array).toString() === key) as KafkaRecord;
  return decodePointer(latest.value as Uint8Array, 'here');
}

describe.each(detectors)('with %o', (detector) => {
  it('records that are dated ahead leave the window as it is', async () => {
    const clock = machineClock();
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = timedSettings(detector);
    for (let round = 0; round < ROUNDS; round++) {
      fill(cluster, clock, choices(round), 100);
      const { ended, worker, warnings } = await ranToEnd(cluster, { settings });
      expect(await ended).toBe(undefined);
      const { early } = worker.counts.times;
      expect(warnings.filter((warning) => warning.includes('does not move the window'))).toHaveLength(
        early > 0 ? 1 : 0,
      );
    }
    const { repeats, missed, lost } = truthOf(cluster);
    expect(repeats).toBeGreaterThan(25 * ROUNDS);
    expect(missed).toBe(0);
    expect(lost).toBe(0);
  });

  it('a replay decides as before, whatever the clock is then, through crashes and snapshots', async () => {
    const clock = machineClock();
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = timedSettings(detector, { snapshotEvery: 60, clock: { maxLeadMilliseconds: MINUTE } });
    let crashes = 0;
    const choose = choices(9);
    for (let round = 0; round < ROUNDS; round++) {
      fill(cluster, clock, choose, 60);
      const { now } = clock;
      // What was early is not so any more when it is read again.
      clock.now = now + HOUR;
      while (!isDone(cluster)) {
        clock.now = now;
        const end = await runToEnd(cluster, { settings, fate: new Fate(2 * choose(150) + choose(2)) });
        if (end !== undefined) expect(end).toBeInstanceOf(Crash);
        if (end !== undefined) crashes++;
      }
      clock.now = now + HOUR;
      expect(await runToEnd(cluster, { settings })).toBe(undefined);
      clock.now = now;
    }
    expect(crashes).toBeGreaterThan(3);
    const { repeats, missed, lost } = truthOf(cluster);
    expect(repeats).toBeGreaterThan(12 * ROUNDS);
    expect(missed).toBe(0);
    expect(lost).toBe(0);
  });

  it('what comes before the first time counts as seen then, through crashes', async () => {
    const clock = machineClock();
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = timedSettings(detector, { snapshotEvery: 2, maxRecords: 3 });
    const choose = choices(3);
    const emitted = async (ids: readonly string[], ...times: readonly number[]) => {
      for (const [i, id] of ids.entries()) {
        cluster.append(topics.input, 0, content(null, JSON.stringify({ id }), times[i % times.length] as number));
      }
      const before = cluster.committedFrom(topics.output, 0, 0).records.length;
      for (let end: unknown = new Crash(); end !== undefined; ) {
        end = await runToEnd(cluster, { settings, fate: new Fate(2 * choose(150) + choose(2)) });
        if (end !== undefined) expect(end).toBeInstanceOf(Crash);
      }
      const { records } = cluster.committedFrom(topics.output, 0, 0);
      return records.slice(before).map(({ value }) => (JSON.parse(String(value)) as { id: string }).id);
    };
    const [early, none, invalid] = [START + 50 * MINUTE, 0, -1];
    expect(await emitted(['a', 'b', 'c', 'a'], early, none, invalid)).toEqual(['a', 'b', 'c']);
    expect(await emitted(['c', 'd', 'b'], early)).toEqual(['d']);
    // The first time is that of a backlog, so the window does not stand still until the present.
    const backlog = START - 72 * HOUR;
    expect(await emitted(['a', 'b', 'c', 'd', 'e'], early, backlog)).toEqual(['e']);
    expect(await emitted(['a', 'b', 'c', 'd', 'f'], backlog + 9 * MINUTE)).toEqual(['f']);
    expect(await emitted(['a', 'b', 'c', 'd', 'e', 'f'], backlog + HOUR)).toHaveLength(6);
    clock.now += MINUTE;
    expect(await emitted(['a', 'g'], none)).toEqual(['g']);
  });

  it('a window that is ahead is refused, and set back on demand without forgetting', async () => {
    const clock = machineClock();
    const cluster = new FakeCluster();
    makeTopics(cluster, 1);
    const settings = timedSettings(detector);
    const append = (id: number) =>
      cluster.append(topics.input, 0, content(null, JSON.stringify({ id, at: clock.now }), clock.now));
    const giveOut = async (changes: Partial<WorkerSettings> = {}) => {
      const before = cluster.committedFrom(topics.output, 0, 0).records.length;
      const end = await runToEnd(cluster, { settings: { ...settings, ...changes } });
      return end ?? cluster.committedFrom(topics.output, 0, 0).records.length - before;
    };
    clock.now = START + 5 * HOUR;
    for (let id = 0; id < 20; id++) append(id);
    expect(await giveOut()).toBe(20);
    clock.now = START;
    for (let id = 0; id < 30; id++) append(id);
    expect(await giveOut()).toMatchObject({ code: 'E_CLOCK' });
    expect(await giveOut({ clock: { isClockReset: true } })).toBe(10);
    // The replay sets it back too, also with a snapshot from after that.
    for (const snapshotEvery of [1e9, 1, 1]) {
      clock.now += MINUTE;
      for (let id = 0; id < 30; id++) append(id);
      expect(await giveOut({ snapshotEvery })).toBe(0);
    }
    // From then on, the window moves with the clock again.
    clock.now += 40 * MINUTE;
    append(0);
    expect(await giveOut()).toBe(1);
  });
});

it('a window that is ahead is taken with a longer lead, as it is typed', async () => {
  const clock = machineClock();
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const flags = { brokers: 'b:1', input: 'in', output: 'out', group: 'g', state: 's', window: '10m' };
  const leadOfFlag = (maxLeadMilliseconds: string) =>
    workerSettings(readKafkaSettings({ ...flags, maxLeadMilliseconds }, {}), 1).clock;
  const settings = timedSettings(detectors[0]);
  const runWith = async (maxLead: string) => {
    cluster.append(topics.input, 0, content(null, JSON.stringify({ id: 1 }), clock.now));
    return runToEnd(cluster, { settings: { ...settings, clock: leadOfFlag(maxLead) } });
  };
  clock.now = START + HOUR;
  expect(await runWith('1m')).toBe(undefined);
  clock.now = START;
  expect(await runWith('30m')).toMatchObject({
    code: 'E_CLOCK',
    message: expect.stringContaining('more than 30m ahead'),
  });
  expect(await runWith('1h')).toBe(undefined);
});

it('a window that a record has moved as far ahead as it may is taken by the next start', async () => {
  const clock = machineClock();
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = timedSettings(detectors[0]);
  const lead = leadOf({}, 10 * MINUTE);
  for (let seconds = 0; seconds < 30; seconds += 7) {
    clock.now += seconds * 1000;
    const id = JSON.stringify({ id: seconds });
    for (const ahead of [0, lead / 8, lead / 4, lead / 2]) {
      cluster.append(topics.input, 0, content(null, id, clock.now + lead + ahead));
    }
    expect(await runToEnd(cluster, { settings })).toBe(undefined);
    cluster.append(topics.input, 0, content(null, id, clock.now));
    expect(await runToEnd(cluster, { settings })).toBe(undefined);
  }
});

it('a window follows records that are not ahead of the clock, however far they are from each other', async () => {
  machineClock();
  const cluster = new FakeCluster();
  makeTopics(cluster, 1);
  const settings = timedSettings(detectors[2]);
  for (let hour = 1000; hour > 0; hour--) {
    cluster.append(topics.input, 0, content(null, JSON.stringify({ id: 1, hour }), START - hour * HOUR));
  }
  expect(await runToEnd(cluster, { settings })).toBe(undefined);
  expect(cluster.committedFrom(topics.output, 0, 0).records).toHaveLength(1000);
  expect(pointerIn(cluster)).not.toHaveProperty('limits');
});

describe('the notes of a clock', () => {
  const open = async () => {
    const detector = await Detector.create({ window: '10m', memory: 4096 });
    return new WindowClock({ detector, options: { maxLeadMilliseconds: MINUTE }, notes: {}, from: 0 });
  };
  const record = (offset: number, timestamp: number) => ({ ...content(null, 'x', timestamp), partition: 0, offset });

  it('are one for each step of the limit, and end at the position', async () => {
    const clock = machineClock();
    const times = await open();
    for (let offset = 0; offset < 1000; offset += 2) {
      clock.now = START + 1 + 50 * offset;
      times.look([record(offset, clock.now), record(offset + 1, clock.now + HOUR)]);
    }
    const { limits = [] } = times.notes({ from: 0, to: 900 });
    // A step is a quarter of the lead: 15 seconds of 50.
    expect(limits.map(({ from, to }) => [from, to])).toEqual([
      [0, 300],
      [300, 600],
      [600, 900],
    ]);
    expect(times.notes({ from: 650, to: 900 }).limits).toHaveLength(1);
    expect(times.timeOf(record(705, START + HOUR))).toBe(0);
    expect(times.timeOf(record(704, START))).toBe(START);
  });

  it('do not go on over records that they would take for early ones', async () => {
    const clock = machineClock();
    const times = await open();
    times.look([record(0, START + HOUR)]);
    clock.now = START + 2 * HOUR;
    times.look([record(1, START + HOUR)]);
    // The clock of the machine goes back.
    clock.now = START;
    times.look([record(2, START + HOUR)]);
    expect([0, 1, 2].map((offset) => times.timeOf(record(offset, START + HOUR)))).toEqual([0, START + HOUR, 0]);
  });

  it('make a snapshot due when they are many', async () => {
    const clock = machineClock();
    const times = await open();
    for (let offset = 0; offset < 40; offset++) {
      clock.now = START + offset * MINUTE;
      times.look([record(offset, clock.now + HOUR)]);
      expect(times.hasManyNotes).toBe(offset >= 32);
    }
    times.notes({ from: 30, to: 40 });
    expect(times.hasManyNotes).toBe(false);
  });
});

it.each([
  ['1s', 1000],
  ['10m', MINUTE],
  ['5h', 30 * MINUTE],
  ['3d', HOUR],
])('the default lead of a window of %s is %i milliseconds', async (window, lead) => {
  const detector = await Detector.create({ window, memory: 4096 });
  const { band } = detector.settings.parameters;
  expect(leadOf({}, (band as { fromMilliseconds: number }).fromMilliseconds)).toBe(lead);
});
