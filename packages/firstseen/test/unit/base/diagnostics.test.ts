// The events that the library publishes for programs that observe it.

import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, expect, test } from 'vitest';
import { create, dedup, load, save, snapshotChunks } from '../../../src/index.js';
import { createThreaded, loadThreaded } from '../../../src/node.js';

const names = ['create', 'load', 'save', 'deliver'].map((event) => `firstseen:${event}`);
const events: [string, Record<string, unknown>][] = [];
const note = (message: unknown, name: string | symbol) =>
  void events.push([String(name), message as Record<string, unknown>]);

function listen(): void {
  for (const name of names) subscribe(name, note);
}

afterEach(() => {
  for (const name of names) unsubscribe(name, note);
  events.length = 0;
});

test('detectors are told when they are created, saved and loaded', async () => {
  listen();
  const detector = await create({ algorithm: 'exact', memory: 1024, secret: 'random' });
  const snapshot = await save(detector);
  const loaded = await load(snapshot);
  const parts: Uint8Array[] = [];
  for await (const part of snapshotChunks(loaded)) parts.push(part);
  const streamed = await load(parts);
  expect(events).toEqual([
    ['firstseen:create', { detector }],
    ['firstseen:save', { detector, snapshotBytes: snapshot.length }],
    ['firstseen:load', { detector: loaded }],
    ['firstseen:save', { detector: loaded, snapshotBytes: snapshot.length }],
    ['firstseen:load', { detector: streamed }],
  ]);
});

test('so are detectors on threads', async () => {
  listen();
  const detector = await createThreaded({ algorithm: 'exact', memory: 1024 }, { threads: 1 });
  const loaded = await loadThreaded(await detector.save(), { threads: 1 });
  expect(events.map(([name]) => name)).toEqual(['firstseen:create', 'firstseen:save', 'firstseen:load']);
  const detectors = events.map(([, message]) => message.detector);
  expect([detectors[0] === detector, detectors[1] === detector, detectors[2] === loaded]).toEqual([true, true, true]);
  await Promise.all([detector.close(), loaded.close()]);
});

test('deliveries are told with their outcome and time, and without keys', async () => {
  listen();
  const detector = await create({ algorithm: 'exact', memory: 1024 });
  const deliver = (item: string) => {
    if (item === 'a') return Promise.resolve();
    return item === 'b' ? Promise.reject(new Error('no')) : new Promise<never>(() => undefined);
  };
  const onRejected = () => undefined;
  for await (const _ of dedup(['a', 'b', 'c'], { detector, deliver, onRejected, timeout: 1 }));
  const told = events.filter(([name]) => name === 'firstseen:deliver').map(([, message]) => message);
  expect(told.map(({ outcome }) => outcome)).toEqual(['delivered', 'rejected', 'given up']);
  for (const message of told) {
    expect(Object.keys(message)).toEqual(['detector', 'outcome', 'milliseconds']);
    expect(message.detector).toBe(detector);
    expect(message.milliseconds).toBeGreaterThanOrEqual(0);
  }
});

test('nothing is published without a subscriber', async () => {
  expect(names.map((name) => channel(name).hasSubscribers)).toEqual([false, false, false, false]);
  await save(await create({ algorithm: 'exact', memory: 1024 }));
  expect(events).toEqual([]);
});
