// Inputs that no client sends: commands, and what is like a command. Several come over one connection, cut anywhere.

import { connect } from 'node:net';
import { encoded } from './client.mjs';

const CONNECTIONS = 16;
/** Addresses of this machine that connections come from, because one has few ports for so many of them. */
const ADDRESSES = 200;
/** Most commands that take as long as writing snapshots are left out. */
const SLOW = 'FS.SAVE';
const SLOW_SHARE = 0.01;
/** A server that has not closed the connection by then hangs. */
const HANG_MILLISECONDS = 240_000;

const WORDS = [
  ...'PING ECHO HELLO 3 2 AUTH SETNAME SELECT 0 RESET QUIT INFO CONFIG GET * COMMAND DOCS MULTI EXEC DISCARD WATCH DEL EXISTS'.split(
    ' ',
  ),
  ...'TYPE DBSIZE SET NX EX SADD TTL BF.RESERVE 0.01 100 1e400 -1 NONSCALING EXPANSION BF.ADD BF.MADD BF.EXISTS BF.MEXISTS'.split(
    ' ',
  ),
  ...'BF.INSERT CAPACITY ERROR ITEMS NOCREATE BF.INFO BF.CARD FS.CREATE MEMORY 1KiB 64KiB 99999GiB ALGORITHM exact qht'.split(
    ' ',
  ),
  ...'bloom WINDOW 1h CLAIMS LEASE PENDING 5 KEYED WITNESS FS.OBSERVE FS.OBSERVEID FS.TEST FS.ADD FS.INFO FS.STATS LOAD'.split(
    ' ',
  ),
  ...'FS.SAVE FS.CLEAR FS.DROP FS.LIST FS.CLAIM TOKEN WAIT 1 FS.COMMIT FS.ABORT FS.EXTEND a b c d %s ../..'.split(' '),
  ...['', ' ', '\r\n', '\0', '\xff\xfe', 'x'.repeat(600), '9'.repeat(30)],
];
const PIECES = [
  '*1\r\n',
  '*-1\r\n',
  '*0\r\n',
  '*99999999\r\n',
  '$-1\r\n',
  '$99999999999\r\n',
  '$3\r\n',
  '\r\n',
  '\n',
  '"',
  "'",
  '\\x',
  'PING',
  '\0',
];

const HTTP_PIECES = [
  ...['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', '', 'G ET'].map((method) => `${method} `),
  ...[
    '/',
    '/livez',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/detectors',
    '/detectors/d',
    '/detectors/d/observe',
    '/%00',
    '/..%2f..',
    '//',
  ],
  ...[
    ' HTTP/1.1\r\n',
    ' HTTP/1.0\r\n',
    ' HTTP/9\r\n',
    'Host: localhost\r\n',
    'Host: evil.example\r\n',
    'Origin: http://evil.example\r\n',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: -1\r\n',
    'Content-Length: 99999999999\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Expect: 100-continue\r\n',
  ],
  ...[
    'Content-Type: application/json\r\n',
    'Content-Type: application/x-ndjson\r\n',
    'Content-Type: text/plain\r\n',
    'Connection: close\r\n',
  ],
  ...[
    '\r\n',
    '5\r\nhello\r\n',
    '0\r\n\r\n',
    'zz\r\n',
    'hello',
    '{"id":1}\n',
    '{"',
    '\0',
    '\xff',
    'a\nb\n',
    `X: ${'y'.repeat(9000)}\r\n`,
  ],
];

const someOf = (items, random) => items[Math.floor(random() * items.length)];

/** Changes, removes or repeats a byte. */
function mutated(bytes, random) {
  const at = Math.floor(random() * bytes.length);
  const kind = random();
  if (kind < 0.5)
    return Buffer.concat([bytes.subarray(0, at), Buffer.of(Math.floor(random() * 256)), bytes.subarray(at + 1)]);
  return kind < 0.75 ? bytes.subarray(0, at) : Buffer.concat([bytes, bytes.subarray(at)]);
}

/** A command, most of them whole. */
export function redisInput(random) {
  if (random() < 0.1)
    return Buffer.from(Array.from({ length: 1 + random() * 6 }, () => someOf(PIECES, random)).join(''), 'latin1');
  const words = Array.from({ length: 1 + Math.floor(random() * 6) }, () => someOf(WORDS, random));
  if (words[0] === SLOW && random() > SLOW_SHARE) words[0] = 'PING';
  const bytes = encoded(words);
  return random() < 0.1 ? mutated(bytes, random) : bytes;
}

export function httpInput(random) {
  const head = `${someOf(['GET', 'PUT', 'POST', 'DELETE'], random)} ${someOf(
    HTTP_PIECES.filter((piece) => piece.startsWith('/')),
    random,
  )} HTTP/1.1\r\nHost: localhost\r\n`;
  const rest = Array.from({ length: random() * 8 }, () => someOf(HTTP_PIECES, random)).join('');
  const bytes = Buffer.from(`${random() < 0.8 ? head : ''}${rest}\r\n`, 'latin1');
  return random() < 0.3 ? mutated(bytes, random) : bytes;
}

/** Sends inputs over one connection. @returns the inputs if the server does not close the connection after them */
function sendInputs(port, inputs, random) {
  return new Promise((resolve) => {
    const localAddress = `127.0.0.${2 + Math.floor(random() * ADDRESSES)}`;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(inputs);
    }, HANG_MILLISECONDS);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    socket.resume();
    const bytes = Buffer.concat(inputs);
    const cut = Math.floor(random() * bytes.length);
    socket.write(bytes.subarray(0, cut), () => socket.end(bytes.subarray(cut)));
  });
}

/**
 * Sends a number of inputs, some of them over each connection.
 * @returns the inputs after which the server hangs, if it does
 */
export async function fuzz({ port, inputs, inputOf, together, random }) {
  let sent = 0;
  let hanging;
  const work = async () => {
    while (sent < inputs && hanging === undefined) {
      const some = Array.from({ length: Math.min(together, inputs - sent) }, () => inputOf(random));
      sent += some.length;
      hanging = (await sendInputs(port, some, random)) ?? hanging;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return hanging?.map((input) => input.toString('latin1'));
}
