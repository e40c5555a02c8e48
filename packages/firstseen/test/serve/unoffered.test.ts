// Commands of Redis that are not offered: each says what there is in its place.

import { expect, test } from 'vitest';
import { commandNamed } from '../../src/serve/commands/registry.js';
import { unofferedNames } from '../../src/serve/commands/unoffered.js';
import { withServer } from './support/server.js';

test('each has one answer, and none is a command of this server', () => {
  expect(new Set(unofferedNames).size).toBe(unofferedNames.length);
  expect(unofferedNames.filter((name) => commandNamed.has(name))).toEqual([]);
});

test('no answer looks like that of a command that nobody knows, whatever the arguments', () =>
  withServer(async (client) => {
    for (const name of unofferedNames) {
      expect(await client.send(name.toLowerCase(), 'key', 'value')).toMatch(
        new RegExp(`^-ERR ${name.replace('.', '\\.')} is not offered: .+`),
      );
    }
    expect(await client.send('FCALL', 'name', '1', 'lock', 'token')).toMatch(/runs no scripts.*; .*FS\.CLAIM/);
    expect(await client.send('NOSUCH')).toMatch(/^-ERR unknown command 'NOSUCH'/);
  }));

test('a key of a map says which commands it takes', () =>
  withServer(
    async (client) => {
      expect(await client.send('INCR', 'seen:1')).toMatch(
        /^-ERR INCR of "seen:1" is not for keys of the map seen:\*=events/,
      );
    },
    { maps: ['seen:*=events'] },
  ));

test('a person who types one is not thrown out', () =>
  withServer(async (client) => {
    client.socket.write('MONITOR\r\nPING\r\n');
    expect(await client.next()).toMatch(/^-ERR MONITOR is not offered/);
    expect(await client.next()).toBe('+PONG');
  }));
