// Random commands: each gets one reply, in its order, and none breaks the server.

import { expect, test, vi } from 'vitest';
import { commandRows } from '../../src/serve/commands/registry.js';
import { inLongForm } from '../support/form.js';
import { Random } from '../support/streams.js';
import { encode } from './support/client.js';
import { withServer } from './support/server.js';

const COMMANDS = inLongForm(10_000, 2500);
const CHUNK = 200;

/** Commands that end the connection, whose answers are long, or that take seconds. */
const LEFT_OUT = ['QUIT', 'COMMAND', 'RESET', 'FS.PLAN'];

const words = [
  ...[
    'a',
    'b',
    'c',
    'd',
    '',
    '\0',
    '\xff',
    'x'.repeat(600),
    '0',
    '1',
    '2',
    '-1',
    '0.01',
    '1e-3',
    '100',
    '1e400',
    'nan',
    'inf',
  ],
  ...[
    '9223372036854775807',
    '999999999999999999999',
    'ITEMS',
    'CAPACITY',
    'ERROR',
    'NOCREATE',
    'NONSCALING',
    'EXPANSION',
    'LOAD',
  ],
  ...[
    'MEMORY',
    '64KiB',
    '1TiB',
    'ALGORITHM',
    'bloom',
    'exact',
    'exactwindow',
    'WINDOW',
    '10',
    '1s',
    'FPR',
    'EXPECT-DISTINCT',
  ],
  ...[
    'WITNESS',
    'LAYOUT',
    'blocked',
    'SEED',
    'GET',
    '*',
    '[',
    'INFO',
    'NX',
    'EX',
    'CLAIMS',
    'LIST',
    'SETNAME',
    'SETINFO',
    'AUTH',
    'SIZE',
    '?+(',
  ],
  ...[
    'HELP',
    'EXISTS',
    'USAGE',
    'MATCH',
    'COUNT',
    'PXAT',
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) else return 0 end",
  ],
];

/** Some of the words are keys of maps. */
const options = { maps: ['0=a', '1=b,claim', '10*=c', 'x*=d,claim'] };

function randomCommand(random: Random): string[] {
  const names = commandRows.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
  const name = names[random.below(names.length)] as string;
  const count = random.below(7);
  return [name, ...Array.from({ length: count }, () => words[random.below(words.length)] as string)];
}

test('each random command has one reply, and the server goes on', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  await withServer(async (client) => {
    const random = new Random(34);
    for (let i = 0; i < COMMANDS; i += CHUNK) {
      const commands = Array.from({ length: CHUNK }, () => randomCommand(random));
      // ECHO and DISCARD tell whether a reply is missing, or there is one too many.
      const all = commands.flatMap((command) => [command, ['DISCARD'], ['ECHO', 'mark']]);
      client.socket.write(
        Buffer.concat(all.map((command) => encode(...command.map((word) => Buffer.from(word, 'latin1'))))),
      );
      const replies = await client.take(all.length);
      const marks = replies.filter((_, at) => at % 3 === 2);
      expect(commands[marks.findIndex((mark) => mark !== 'mark')]).toBeUndefined();
    }
  }, options);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
