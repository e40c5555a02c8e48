// How long a connection may be idle of which requests wait.

import { expect, test } from 'vitest';
import { type TimedSocket, Waits } from '../../../src/serve/http/waits.js';

/** A socket that may be idle for this long. */
function socketOf(timeout: number): TimedSocket {
  const socket = {
    timeout,
    setTimeout(milliseconds: number) {
      socket.timeout = milliseconds;
      return socket as never;
    },
  };
  return socket;
}

/** Work whose end the test decides. */
function work() {
  let end = { resolve: (_value: string): void => undefined, reject: (_error: Error): void => undefined };
  const promise = new Promise<string>((resolve, reject) => {
    end = { resolve, reject };
  });
  return { promise, ...end };
}

test('a connection may be idle as long as one of its requests waits, in whatever order they end', async () => {
  const [waits, socket, other] = [new Waits(), socketOf(300), socketOf(200)];
  const [first, second, third] = [work(), work(), work()];
  const waiting = [first, second].map(({ promise }) => waits.whileWaiting(socket, promise));
  const apart = waits.whileWaiting(other, third.promise);
  expect([socket.timeout, other.timeout]).toEqual([0, 0]);
  first.resolve('first');
  expect(await waiting[0]).toBe('first');
  expect(socket.timeout).toBe(0);
  second.reject(new Error('no room'));
  await expect(waiting[1]).rejects.toThrow('no room');
  expect([socket.timeout, other.timeout]).toEqual([300, 0]);
  third.resolve('third');
  await apart;
  expect(other.timeout).toBe(200);
});

test('a connection waits again after it was idle', async () => {
  const [waits, socket] = [new Waits(), socketOf(300)];
  for (let turn = 0; turn < 2; turn++) {
    const one = work();
    const waiting = waits.whileWaiting(socket, one.promise);
    expect(socket.timeout).toBe(0);
    one.resolve('done');
    await waiting;
    expect(socket.timeout).toBe(300);
  }
});
