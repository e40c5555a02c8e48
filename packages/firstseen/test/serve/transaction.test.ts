// Transactions answer as those of Redis.

import { expect, test } from 'vitest';
import { encode } from './support/client.js';
import { withServer } from './support/server.js';

test('commands are queued and run together, whatever they wait for', () =>
  withServer(async (client) => {
    expect(await client.send('MULTI')).toBe('+OK');
    expect(await client.send('BF.RESERVE', 'f', '0.01', '100')).toBe('+QUEUED');
    expect(await client.send('BF.ADD', 'f', 'a')).toBe('+QUEUED');
    expect(await client.send('BF.ADD', 'f', 'a')).toBe('+QUEUED');
    expect(await client.send('BF.ADD', 'nothing', 'a')).toBe('+QUEUED');
    expect(await client.send('FS.OBSERVE', 'f', 'a', 'b')).toBe('+QUEUED');
    expect(await client.send('EXEC')).toEqual([
      '+OK',
      1,
      0,
      expect.stringMatching(/^-ERR not found/),
      ['+duplicate', '+distinct'],
    ]);
    expect(await client.send('EXEC')).toBe('-ERR EXEC without MULTI');
  }));

test('the commands after EXEC in one chunk are run after it', () =>
  withServer(async (client) => {
    const commands = [
      ['MULTI'],
      ['FS.CREATE', 'd'],
      ['FS.ADD', 'd', 'a'],
      ['EXEC'],
      ['FS.TEST', 'd', 'a'],
      ['MULTI'],
      ['EXEC'],
      ['PING'],
    ];
    client.socket.write(Buffer.concat(commands.map((words) => encode(...words))));
    expect(await client.take(8)).toEqual(['+OK', '+QUEUED', '+QUEUED', ['+OK', 1], ['+duplicate'], '+OK', [], '+PONG']);
  }));

test('a command that cannot be queued makes EXEC run none', () =>
  withServer(async (client) => {
    for (const wrong of [['NOTHING'], ['BF.ADD', 'f']]) {
      expect(await client.send('MULTI')).toBe('+OK');
      expect(await client.send('FS.CREATE', 'd')).toBe('+QUEUED');
      expect(await client.send(...wrong)).toMatch(/^-ERR/);
      expect(await client.send('EXEC')).toBe('-EXECABORT Transaction discarded because of previous errors.');
      expect(await client.send('FS.LIST')).toEqual([]);
    }
  }));

test('DISCARD, RESET and QUIT end a transaction, and MULTI and WATCH are refused in it', () =>
  withServer(async (client) => {
    expect(await client.send('DISCARD')).toBe('-ERR DISCARD without MULTI');
    expect(await client.send('WATCH', 'f')).toMatch(/^-ERR WATCH is not offered: /);
    expect(await client.send('UNWATCH')).toBe('+OK');
    expect(await client.send('MULTI')).toBe('+OK');
    expect(await client.send('MULTI')).toBe('-ERR MULTI calls can not be nested');
    expect(await client.send('WATCH', 'f')).toBe('-ERR WATCH inside MULTI is not allowed');
    expect(await client.send('PING')).toBe('+QUEUED');
    expect(await client.send('DISCARD')).toBe('+OK');
    expect(await client.send('PING')).toBe('+PONG');
    expect(await client.send('MULTI')).toBe('+OK');
    expect(await client.send('RESET')).toBe('+RESET');
    expect(await client.send('PING')).toBe('+PONG');
    expect(await client.send('MULTI')).toBe('+OK');
    expect(await client.send('QUIT')).toBe('+OK');
    expect(await client.next()).toBeUndefined();
  }));

test('a transaction is at most as large as a command', () =>
  withServer(async (client) => {
    expect(await client.send('MULTI')).toBe('+OK');
    const text = 'x'.repeat(2 ** 20);
    for (let i = 0; i < 31; i++) expect(await client.send('ECHO', text)).toBe('+QUEUED');
    expect(await client.send('ECHO', text)).toMatch(/^-ERR the transaction is larger/);
    expect(await client.send('EXEC')).toMatch(/^-EXECABORT/);
    expect(await client.send('PING')).toBe('+PONG');
  }));
