// The packed library in Chromium: in a page, a worker and a service worker, under a strict content security policy.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser.js';
import { expectedAnswers, libraryFolder } from './support/runtime.js';

const STRICT = "default-src 'none'; connect-src 'self'; worker-src 'self'";
const policies = {
  '/compiling': `${STRICT}; script-src 'self' 'wasm-unsafe-eval'`,
  '/refusing': `${STRICT}; script-src 'self'`,
} as const;
type Place = keyof typeof policies;

/** Sends the answers of a place, or what it threw. */
const sending = `
import * as core from './library/index.js';
import * as motifs from './library/motifs.js';
import * as near from './library/near.js';
import { families } from './library/plan.js';
import { answersOf, refusalsOf } from './suite.mjs';

const firstseen = { ...core, ...motifs, ...near, families };

async function report() {
  const call = self.location.pathname.startsWith('/refusing/') ? refusalsOf : answersOf;
  return call(firstseen).catch((error) => ({ threw: String(error) }));
}
const place = 'document' in self ? 'page' : 'registration' in self ? 'service worker' : 'worker';
`;

/** The scripts of a place, beside the library and suite.mjs. */
const scripts: Readonly<Record<string, string>> = {
  '/page.html': '<!doctype html><title>firstseen</title><script type="module" src="page.mjs"></script>',
  '/page.mjs': `${sending}
new Worker('reporting.mjs', { type: 'module' });
await navigator.serviceWorker.register('reporting.mjs', { type: 'module' });
await fetch('report?' + place, { method: 'POST', body: JSON.stringify(await report()) });`,
  '/reporting.mjs': `${sending}
report().then((answers) => fetch('report?' + place, { method: 'POST', body: JSON.stringify(answers) }));`,
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
};

/** A promise that is settled from outside. */
class Report {
  readonly answers: Promise<unknown>;
  settle: (answers: unknown) => void = () => undefined;

  constructor() {
    this.answers = new Promise((resolve) => {
      this.settle = resolve;
    });
  }
}

const kinds = ['page', 'worker', 'service worker'] as const;
const reports = new Map(
  Object.keys(policies).flatMap((place) => kinds.map((kind) => [`${place} ${kind}`, new Report()])),
);

function contentsOf(path: string): string | Buffer {
  const script = scripts[path];
  if (script !== undefined) return script;
  if (path === '/suite.mjs') return readFileSync(join(libraryFolder, 'suite.mjs'));
  return readFileSync(join(libraryFolder, 'node_modules/firstseen/dist', path.replace(/^\/library\//, '')));
}

function newServer(): Server {
  return createServer(async (request, response) => {
    const { pathname, search } = new URL(request.url as string, 'http://localhost');
    const [, place = '', path = ''] = /^(\/\w+)(\/.*)$/.exec(pathname) ?? [];
    if (request.method === 'POST') {
      const chunks = await request.toArray();
      reports
        .get(`${place} ${decodeURIComponent(search.slice(1))}`)
        ?.settle(JSON.parse(Buffer.concat(chunks).toString()));
      response.end();
      return;
    }
    try {
      const contents = contentsOf(path);
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
      response.setHeader('content-security-policy', policies[place as Place]);
      response.end(contents);
    } catch {
      response.writeHead(404).end();
    }
  });
}

let server: Server;
let chromium: TestBrowser;
let origin: string;

beforeAll(async () => {
  server = newServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  chromium = await openBrowser();
  const context = await chromium.browser.newContext();
  for (const place of Object.keys(policies)) await (await context.newPage()).goto(`${origin}${place}/page.html`);
});

afterAll(async () => {
  await chromium?.close();
  server?.closeAllConnections();
  server?.close();
});

describe.each(kinds)('a %s of Chromium', (kind) => {
  test("gives the same answers where the policy allows 'wasm-unsafe-eval'", async () => {
    expect(await reports.get(`/compiling ${kind}`)?.answers).toEqual(expectedAnswers);
  });

  test('refuses to compile with a code that names the option where the policy does not', async () => {
    const refusals = (await reports.get(`/refusing ${kind}`)?.answers) as string[];
    expect(refusals).toEqual(
      ['E_COMPILE', 'E_COMPILE', 'E_COMPILE', 'E_COMPILE'].map((code) => `FirstseenError ${code}`),
    );
  });
});
