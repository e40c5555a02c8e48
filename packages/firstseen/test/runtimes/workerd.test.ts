// The packed library in workerd, the runtime of Cloudflare Workers, which does not compile WebAssembly from bytes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { bundledProgram } from './support/bundled.js';
import { expectedAnswers, libraryFolder, pathOf } from './support/runtime.js';

const KERNEL = 'firstseen/kernel.wasm';

const worker = `
import module from '${KERNEL}';
import * as core from 'firstseen';
import * as motifs from 'firstseen/motifs';
import * as near from 'firstseen/near';
import { families } from 'firstseen/plan';
import { answersOf, refusalsOf } from './suite.mjs';

const firstseen = { ...core, ...motifs, ...near, families };

export default {
  async fetch(request) {
    const isGiven = new URL(request.url).pathname === '/given';
    return Response.json(await (isGiven ? answersOf(firstseen, { module }) : refusalsOf(firstseen)));
  },
};
`;

/** As much of Miniflare as is used here. */
interface Miniflare {
  dispatchFetch: (url: string) => Promise<Response>;
  dispose: () => Promise<void>;
}

let miniflare: Miniflare | undefined;

afterAll(() => miniflare?.dispose());

async function started(): Promise<Miniflare> {
  if (miniflare) return miniflare;
  const path = pathOf('workerd');
  const { Miniflare } = await import(pathToFileURL(path).href);
  const resolved = createRequire(join(libraryFolder, 'worker.mjs')).resolve(KERNEL);
  const started: Miniflare = new Miniflare({
    cf: false,
    compatibilityDate: '2026-01-01',
    modules: [
      {
        type: 'ESModule',
        path: 'worker.mjs',
        contents: await bundledProgram(worker, { format: 'esm', external: [KERNEL] }),
      },
      { type: 'CompiledWasm', path: KERNEL, contents: readFileSync(resolved) },
    ],
  });
  miniflare = started;
  return started;
}

async function answerOf(path: string): Promise<unknown> {
  const response = await (await started()).dispatchFetch(`http://worker${path}`);
  return JSON.parse(await response.text());
}

test('gives the same answers with an imported kernel', async () => {
  expect(await answerOf('/given')).toEqual(expectedAnswers);
});

test('refuses to compile with a code that names the option', async () => {
  const refusals = (await answerOf('/own')) as string[];
  expect(refusals).toEqual(refusals.map(() => 'FirstseenError E_COMPILE'));
  expect(refusals.length).toBeGreaterThan(3);
});
