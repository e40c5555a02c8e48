// Writes examples/access.log: a web server's log after at-least-once delivery, in which a log shipper that got no
// acknowledgement sends its last lines again. The same seed writes the same file.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const target = join(dirname(fileURLToPath(import.meta.url)), '../examples/access.log');
const REQUESTS = 1340;
const LINES = 2000;
/** Maximum number of lines that a shipper sends again at once. */
const MAX_RESENT = 12;
/** Maximum distance of the repeated lines. */
const RESEND_WINDOW = 200;

/** Mulberry32: 32 bits of state, numbers in [0, 1). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = generator(20);
const below = (limit) => Math.floor(random() * limit);
const pick = (choices) => choices[below(choices.length)];

const pages = [
  '/',
  '/',
  '/products',
  '/products/lamp',
  '/products/desk',
  '/cart',
  '/checkout',
  '/help',
  '/search?q=oak',
];
const assets = ['/static/site.css', '/static/site.js', '/static/logo.svg', '/favicon.ico'];
const calls = ['POST /api/cart', 'POST /api/session', 'GET /api/stock?sku=1047', 'DELETE /api/cart/3'];
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36',
  'curl/8.5.0',
  'ExampleBot/2.1 (+https://bot.example/)',
];
/** Addresses from the ranges that RFC 5737 reserves for documentation. */
const networks = ['192.0.2', '198.51.100', '203.0.113'];
const visitors = Array.from({ length: 60 }, () => ({
  address: `${pick(networks)}.${1 + below(254)}`,
  agent: pick(agents),
}));

function requestLine() {
  const kind = random();
  if (kind < 0.55) return `GET ${pick(pages)}`;
  return kind < 0.85 ? `GET ${pick(assets)}` : pick(calls);
}

/** A time in the format of the combined log format. */
function timestamp(second) {
  const [date, time] = new Date(Date.UTC(2025, 2, 3, 6) + second * 1000).toISOString().split('T');
  return `${date.slice(8)}/Mar/2025:${time.slice(0, 8)} +0000`;
}

function logLine(second) {
  const { address, agent } = pick(visitors);
  const status = pick([200, 200, 200, 200, 200, 200, 304, 304, 404, 500]);
  const bytes = status === 304 ? 0 : 180 + below(24000);
  return `${address} - - [${timestamp(second)}] "${requestLine()} HTTP/1.1" ${status} ${bytes} "-" "${agent}"`;
}

/** Requests in order of time, with repeated runs of earlier lines among them. */
function deliveredLines() {
  const delivered = [];
  let second = 0;
  for (let sent = 0; sent < REQUESTS; sent++) {
    second += below(9);
    delivered.push(logLine(second));
    const isBehind = delivered.length < ((sent + 1) * LINES) / REQUESTS - MAX_RESENT;
    if (isBehind || sent === REQUESTS - 1) {
      const start = Math.max(0, delivered.length - 1 - below(RESEND_WINDOW));
      const count = sent === REQUESTS - 1 ? LINES - delivered.length : 1 + below(MAX_RESENT);
      delivered.push(...delivered.slice(start, start + count));
    }
  }
  return delivered;
}

writeFileSync(target, `${deliveredLines().join('\n')}\n`);
