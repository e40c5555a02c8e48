// Runs the parser over bytes that come in chunks, and makes bytes to parse.

import type { RequestLimits } from '../../../src/serve/resp/commands.js';
import { CommandParser } from '../../../src/serve/resp/parser.js';
import { knownLimits } from '../../../src/serve/session.js';
import { type ReferenceCommands, referenceCommands } from '../../reference/resp.js';
import type { Random } from '../../support/streams.js';

/** A byte that no command begins with. */
const OVERWRITTEN = 0xff;

/** Parses chunks. Once the commands of a chunk are taken, its bytes are overwritten, as in a read buffer that is shared. */
export function parsed(chunks: Iterable<Uint8Array>, limits: RequestLimits = knownLimits): ReferenceCommands {
  const parser = new CommandParser(limits);
  const commands: string[][] = [];
  for (const chunk of chunks) {
    const read = Buffer.from(chunk);
    parser.push(read);
    while (parser.next().count > 0) commands.push(...commandsOf(parser));
    parser.keepRest();
    read.fill(OVERWRITTEN);
  }
  return parser.problem === undefined ? { commands } : { commands, problem: parser.problem };
}

function commandsOf({ bytes, starts, ends, firsts, count }: CommandParser): string[][] {
  return Array.from({ length: count }, (_, command) => {
    const [first, end] = [firsts[command] as number, firsts[command + 1] as number];
    return Array.from({ length: end - first }, (_, i) => bytes.toString('latin1', starts[first + i], ends[first + i]));
  });
}

/** Bytes in chunks that end at these offsets. */
export function cut(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const ends = [...offsets, bytes.length];
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

/** Offsets in ascending order. */
export function randomCuts(length: number, random: Random): number[] {
  return Array.from({ length: random.below(6) }, () => random.below(length + 1)).sort((a, b) => a - b);
}

const pieces = [
  ...[
    '*1\r\n',
    '*2\r\n',
    '*3\r\n',
    '*0\r\n',
    '*-1\r\n',
    '*12\r\n',
    '*',
    '*\r\n',
    '*01\r\n',
    '*1048577\r\n',
    '*99999999999999999999',
  ],
  ...[
    '$0\r\n\r\n',
    '$1\r\na\r\n',
    '$4\r\nPING\r\n',
    '$5\r\na\r\nb\r\n',
    '$-1\r\n',
    '$',
    '$2\r\nabc',
    '$17\r\n',
    '$1048577\r\n',
  ],
  ...[
    'PING\r\n',
    'ECHO "a b"\n',
    "x 'it\\'s'\r\n",
    'x "\\x4',
    '\\"',
    '\\n',
    '"',
    "'",
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\0',
    '\xff',
    'a',
    '7',
    '-',
  ],
];

/** A pipeline of one command, in whose copies a byte may be another one, left out or twice. */
export function nearRepeats(random: Random): Buffer {
  const key = 'key'.slice(0, random.below(4));
  const command = Buffer.from(`*3\r\n$3\r\nADD\r\n$1\r\nf\r\n$${key.length}\r\n${key}\r\n`);
  const copies = Array.from({ length: 2 + random.below(6) }, () => {
    const at = random.below(command.length);
    const other = [
      Buffer.of(random.below(256)),
      Buffer.of(),
      command.subarray(at, at + 1),
      command.subarray(at - 1, at),
    ];
    const change = random.below(3 * other.length);
    const [end, middle] = [at + (change === 0 ? 1 : 0), other[change] ?? Buffer.of()];
    return Buffer.concat([command.subarray(0, at), middle, command.subarray(change === 1 ? at + 1 : end)]);
  });
  return Buffer.concat(copies);
}

/** Bytes that look like commands, and often are none. */
export function randomBytes(random: Random): Buffer {
  if (random.below(4) === 0) return nearRepeats(random);
  const parts = Array.from({ length: 1 + random.below(8) }, () => {
    if (random.below(8) === 0) return String.fromCharCode(random.below(256));
    return pieces[random.below(pieces.length)] as string;
  });
  return Buffer.from(parts.join(''), 'latin1');
}

/** Small limits, so that short inputs reach them. */
const smallLimits: RequestLimits = {
  argumentBytes: 8,
  commandArguments: 3,
  requestBytes: 12,
  batchArguments: 2,
  refusal: 'unauthenticated',
};

/** How the parser and its twin differ over random bytes that come in random chunks; undefined if they do not. */
export function differenceOver(random: Random): string | undefined {
  const bytes = randomBytes(random);
  const limits = random.below(2) === 0 ? knownLimits : smallLimits;
  const offsets = randomCuts(bytes.length, random);
  const [found, expected] = [parsed(cut(bytes, offsets), limits), referenceCommands(bytes, limits)].map((result) =>
    JSON.stringify(result),
  );
  if (found === expected) return undefined;
  return `${JSON.stringify(bytes.toString('latin1'))} cut at ${offsets}: ${found}, not ${expected}`;
}
