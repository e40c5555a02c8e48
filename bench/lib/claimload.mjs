// Claims keys and commits them, in pipelines of several connections, and checks every reply.
//   node bench/lib/claimload.mjs PORT FORM CONNECTIONS PIPELINE KEYS NAME
// FORM is `redis` for SET NX PX and SET EX, or `own` for FS.CLAIM and FS.COMMIT. NAME makes keys that no other run has.

import { once } from 'node:events';
import { connect } from 'node:net';

const TOKEN = 'token-of-16bytes';

function bulk(words) {
  return `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
}

/** For each form, the two commands on a key, and their replies. */
const forms = {
  redis: {
    claim: (key) => bulk(['SET', `idem:${key}`, TOKEN, 'NX', 'PX', '30000']),
    claimed: '+OK\r\n',
    commit: (key) => bulk(['SET', `idem:${key}`, TOKEN, 'EX', '86400']),
    committed: '+OK\r\n',
  },
  own: {
    claim: (key) => bulk(['FS.CLAIM', 'requests', `idem:${key}`, 'TOKEN', TOKEN]),
    claimed: `*2\r\n+distinct\r\n$${TOKEN.length}\r\n${TOKEN}\r\n`,
    commit: (key) => bulk(['FS.COMMIT', 'requests', `idem:${key}`, TOKEN]),
    committed: ':1\r\n',
  },
};

/** Sends commands, and waits for their replies. @throws Error unless they are these */
async function send(socket, commands, expected) {
  socket.write(commands);
  let replies = '';
  while (replies.length < expected.length) {
    const [chunk] = await once(socket, 'data');
    replies += chunk.toString('latin1');
  }
  if (replies !== expected) throw new Error(`the server answers ${replies.slice(0, 200)}`);
}

async function run({ port, form, pipeline, keys }) {
  const { claim, claimed, commit, committed } = forms[form];
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  for (let from = 0; from < keys.length; from += pipeline) {
    const part = keys.slice(from, from + pipeline);
    await send(socket, part.map(claim).join(''), claimed.repeat(part.length));
    await send(socket, part.map(commit).join(''), committed.repeat(part.length));
  }
  socket.destroy();
}

const [port, form, connections, pipeline, keys, name] = process.argv.slice(2);
const each = Math.ceil(Number(keys) / Number(connections));
const keysOf = (connection) => Array.from({ length: each }, (_, i) => `${name}:${connection}:${i}`);
await Promise.all(
  Array.from({ length: Number(connections) }, (_, connection) =>
    run({ port: Number(port), form, pipeline: Number(pipeline), keys: keysOf(connection) }),
  ),
);
