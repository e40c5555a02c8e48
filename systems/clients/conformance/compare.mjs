// Runs scripts against a server, and compares the replies of two servers byte for byte.

import { connect } from 'node:net';
import { encoded, repliesOf } from '../support/replies.mjs';

export const VERSIONS = [2, 3];

const wordsOf = (command) => (typeof command === 'string' ? command.split(' ') : command);

function asStep(step) {
  return typeof step === 'string' ? { command: step } : step;
}

/** Sends a step, and waits for its replies. */
async function repliesOfStep(socket, next, { command, raw, replies = 1, isLast }) {
  socket.write(raw ?? encoded(wordsOf(command)));
  const texts = [];
  // A server that waits for more bytes learns that there are none.
  if (isLast) socket.end();
  for (let i = 0; i < replies; i++) texts.push(await next());
  return texts.join('');
}

/** Sends commands that must not fail. */
export async function sendAll(port, commands) {
  for (const [i, reply] of (await repliesOfScript(port, commands, 2)).entries()) {
    if (reply.startsWith('-')) throw new Error(`${commands[i]}: ${reply}`);
  }
}

/** The replies of a script over a connection of its own, one text for each step. */
async function repliesOfScript(port, steps, version) {
  const socket = connect({ port, host: '127.0.0.1' });
  const next = repliesOf(socket);
  if (version === 3) {
    socket.write('HELLO 3\r\n');
    await next();
  }
  const replies = [];
  for (const step of steps) replies.push(await repliesOfStep(socket, next, asStep(step)));
  socket.destroy();
  return replies;
}

const withoutNumbers = (reply) => reply.replace(/[0-9]+/g, 'N');

/**
 * Runs all scripts against both servers, and lists each step whose replies differ, or should and do not.
 * @returns [{ script, version, step, reply, other }]
 */
export async function differencesOf(scripts, port, otherPort, version) {
  const found = [];
  for (const [script, steps] of Object.entries(scripts)) {
    const [own, others] = await Promise.all([port, otherPort].map((one) => repliesOfScript(one, steps, version)));
    for (const [i, one] of steps.entries()) {
      const step = asStep(one);
      const [reply, other] = [own[i], others[i]].map((text) => (step.isNumbered ? withoutNumbers(text) : text));
      if (reply !== other || step.why !== undefined) found.push({ script, version, step, reply, other });
    }
  }
  return found;
}
