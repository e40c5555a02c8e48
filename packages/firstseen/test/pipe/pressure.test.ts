// Answers that nobody takes, and signals.

import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readStream } from '../../src/pipe/input.js';
import { runPipe } from '../../src/pipe/pipe.js';
import { frame, framesIn, keysOf, kinds } from './support/client.js';

/** An output whose reader takes nothing before it is told to. */
function heldOutput() {
  const written: Buffer[] = [];
  let take: () => void = () => undefined;
  let isTaking = false;
  const output = new Writable({
    highWaterMark: 1000,
    write(chunk, _encoding, callback) {
      written.push(Buffer.from(chunk));
      if (isTaking) callback();
      else take = callback;
    },
  });
  const takeAll = () => {
    isTaking = true;
    take();
  };
  return { output, written, takeAll };
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

test('nothing more is read while answers are not taken', async () => {
  const { output, written, takeAll } = heldOutput();
  const input = new PassThrough({ highWaterMark: 2 ** 20 });
  const running = runPipe({
    read: (receiver) => readStream(input, receiver),
    output,
    version: '1',
    signal: new AbortController().signal,
  });
  input.write(frame(kinds.create, { options: { memory: '1KiB' } }));
  const keys = keysOf(Array.from({ length: 2000 }, (_, i) => `${i}`));
  for (let i = 0; i < 100; i++) input.write(frame(kinds.observe, keys, i));
  await turns(200);
  const unread = () => input.readableLength + input.writableLength;
  const before = unread();
  expect(input.isPaused()).toBe(true);
  expect(before).toBeGreaterThan(90 * keys.length);
  expect(output.writableLength).toBeLessThan(20_000);
  await turns(50);
  expect(unread()).toBe(before);
  takeAll();
  input.end();
  await running;
  const answers = framesIn(Buffer.concat(written)).slice(2);
  expect(answers.map(({ request }) => request)).toEqual(Array.from({ length: 100 }, (_, i) => i));
});

test('a snapshot in frames waits for its reader', async () => {
  const { output, written, takeAll } = heldOutput();
  const input = new PassThrough();
  const running = runPipe({
    read: (receiver) => readStream(input, receiver),
    output,
    version: '1',
    signal: new AbortController().signal,
  });
  input.write(frame(kinds.create, { options: { memory: '8MiB', algorithm: 'bloom', parameters: {} } }));
  input.write(frame(kinds.observe, keysOf(Array.from({ length: 5000 }, (_, i) => `${i}`))));
  input.write(frame(kinds.save));
  await turns(200);
  expect(output.writableLength).toBeLessThan(2 ** 21);
  takeAll();
  input.end();
  await running;
  expect(framesIn(Buffer.concat(written)).at(-1)?.kind).toBe(kinds.save);
});

/** A pipe that has been asked to create a detector, and that a signal can stop. */
function stoppablePipe(output: ReturnType<typeof heldOutput>['output']) {
  const stop = new AbortController();
  const input = new PassThrough();
  const running = runPipe({
    read: (receiver) => readStream(input, receiver),
    output,
    version: '1',
    signal: stop.signal,
  });
  input.write(frame(kinds.create, { options: { memory: '1KiB' } }));
  return { input, stop, running };
}

test('a stop ends it after the request in progress, and nothing more is answered', async () => {
  const { output, written, takeAll } = heldOutput();
  takeAll();
  const { input, stop, running } = stoppablePipe(output);
  await turns(2);
  stop.abort();
  input.write(frame(kinds.observe, keysOf(['a']), 2));
  await running;
  expect(framesIn(Buffer.concat(written)).map(({ kind }) => kind)).toEqual([kinds.hello, kinds.create]);
  expect(input.destroyed).toBe(true);
});

test.each([
  ['verdicts', frame(kinds.observe, keysOf(Array.from({ length: 5000 }, (_, i) => `${i}`)))],
  ['a snapshot', frame(kinds.save)],
])('a stop does not wait for a reader of %s', async (_name, request) => {
  const { output } = heldOutput();
  const { input, stop, running } = stoppablePipe(output);
  input.write(request);
  await turns(50);
  stop.abort();
  await running;
  expect(input.destroyed).toBe(true);
});
