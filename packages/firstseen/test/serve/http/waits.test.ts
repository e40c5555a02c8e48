// How long a connection may be idle whose request waits.

import { expect, test } from 'vitest';
import { type TimedSocket, whileWaiting } from '../../../src/serve/http/waits.js';

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

test('a connection may be idle as long as its request waits, also the next one', async () => {
  const [socket, other] = [socketOf(300), socketOf(200)];
  for (let turn = 0; turn < 2; turn++) {
    const [one, another] = [work(), work()];
    const waiting = whileWaiting(socket, one.promise);
    const apart = whileWaiting(other, another.promise);
    expect([socket.timeout, other.timeout]).toEqual([0, 0]);
    one.resolve('done');
    expect(await waiting).toBe('done');
    expect([socket.timeout, other.timeout]).toEqual([300, 0]);
    another.reject(new Error('no room'));
    await expect(apart).rejects.toThrow('no room');
    expect(other.timeout).toBe(200);
  }
});
