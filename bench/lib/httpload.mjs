// Posts bodies of lines to a detector over some connections, and checks that each line is answered.
//   node bench/lib/httpload.mjs PORT DETECTOR REQUESTS LINES RANGE

import { Agent, request } from 'node:http';

const CONNECTIONS = 4;
const BODIES = 16;

const [port, detector, requests, lines, range] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function post(body) {
  return new Promise((resolve, reject) => {
    const path = `/detectors/${detector}/observe`;
    const asked = {
      ...{ agent, port, path, host: '127.0.0.1', method: 'POST' },
      headers: { 'Content-Type': 'text/plain' },
    };
    const sent = request(asked, (reply) => {
      let answered = 0;
      reply.on('data', (chunk) => {
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) answered++;
      });
      reply.on('end', () => resolve({ status: reply.statusCode, answered }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const someKey = () => `key:${String(Math.floor(Math.random() * Number(range))).padStart(12, '0')}\n`;
const bodies = Array.from({ length: BODIES }, () =>
  Buffer.from(Array.from({ length: Number(lines) }, someKey).join('')),
);
let left = Number(requests);
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    while (left-- > 0) {
      const { status, answered } = await post(bodies[Math.abs(left) % BODIES]);
      if (status !== 200 || answered !== Number(lines)) throw new Error(`status ${status}, ${answered} lines`);
    }
  }),
);
agent.destroy();
