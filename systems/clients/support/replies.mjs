// Replies of the protocol of Redis as the bytes that came, one by one. It knows nothing of the code of the server.

const LINES = '+-:,#_(';
const TEXTS = '$=!';
const PAIRS = '%|';

/** The offset after the reply at an offset; -1 if it is not whole. */
function endOfReply(bytes, from) {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd === -1) return -1;
  const mark = String.fromCharCode(bytes[from]);
  const count = Number(bytes.toString('latin1', from + 1, lineEnd));
  const next = lineEnd + 2;
  if (LINES.includes(mark) || count < 0) return next;
  if (TEXTS.includes(mark)) return next + count + 2 <= bytes.length ? next + count + 2 : -1;
  let end = next;
  for (let i = 0; i < (PAIRS.includes(mark) ? 2 * count : count); i++) {
    if (end >= bytes.length) return -1;
    end = endOfReply(bytes, end);
    if (end === -1) return -1;
  }
  return end;
}

/** Reads the replies from a socket: returns a function that resolves to the next one, or to `(closed)`. */
export function repliesOf(socket) {
  let bytes = Buffer.alloc(0);
  let hasEnded = false;
  const waiting = [];
  const deliver = () => {
    while (waiting.length > 0) {
      const end = bytes.length > 0 ? endOfReply(bytes, 0) : -1;
      if (end === -1 && !hasEnded) return;
      waiting.shift()(end === -1 ? '(closed)' : bytes.toString('latin1', 0, end));
      if (end !== -1) bytes = bytes.subarray(end);
    }
  };
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    deliver();
  });
  socket.on('close', () => {
    hasEnded = true;
    deliver();
  });
  socket.on('error', () => undefined);
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      deliver();
    });
}

/** A command as an array of bulk strings. */
export function encoded(words) {
  return [`*${words.length}\r\n`, ...words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)].join('');
}
