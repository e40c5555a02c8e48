// A server that finds the commands in what it reads, and answers `:1` to each key: what a server in Node takes without any work.
//   node bench/lib/emptyserver.mjs PORT

import { createServer } from 'node:net';

const [CR, DIGIT_0] = [13, 48];
const LINE_END_BYTES = 2;
const ONE = ':1\r\n';

/** The answer to a command with a number of words: of several keys, it is a list. */
const answers = new Map();
function answerTo(words) {
  const keys = words - 2;
  if (!answers.has(words)) answers.set(words, keys > 1 ? `*${keys}\r\n${ONE.repeat(keys)}` : ONE);
  return answers.get(words);
}

/** Reads commands from a chunk. @returns the answers, and where the first command begins that is not whole */
function readCommands(bytes) {
  let [at, output] = [0, ''];
  /** The number after a mark, up to the end of its line. One that is not whole ends the reading. */
  const readNumber = () => {
    let value = 0;
    for (at++; bytes[at] !== CR; at++) {
      if (at >= bytes.length) return value;
      value = value * 10 + bytes[at] - DIGIT_0;
    }
    at += LINE_END_BYTES;
    return value;
  };
  for (;;) {
    const done = at;
    const words = readNumber();
    for (let word = 0; word < words; word++) {
      const length = readNumber();
      at += length + LINE_END_BYTES;
    }
    if (words === 0 || at > bytes.length) return { output, done };
    output += answerTo(words);
  }
}

const server = createServer((socket) => {
  let rest = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const { output, done } = readCommands(bytes);
    rest = bytes.subarray(done);
    if (output !== '') socket.write(output, 'latin1');
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
