// The packed library in the edge runtime, as Next.js runs it: a `process` whose members throw, and no DecompressionStream.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { bundledProgram } from './support/bundled.js';
import { expectedAnswers, libraryFolder, pathOf } from './support/runtime.js';

const program = `
import * as core from 'firstseen';
import * as motifs from 'firstseen/motifs';
import * as near from 'firstseen/near';
import { families } from 'firstseen/plan';
import { answersOf, refusalsOf } from './suite.mjs';

const firstseen = { ...core, ...motifs, ...near, families };
globalThis.answersOf = (module) => answersOf(firstseen, { module });
globalThis.refusalsOf = () => refusalsOf(firstseen);
`;

/** As much of the package as is used here. */
interface EdgeVM {
  evaluate: (code: string) => unknown;
}
type EdgeVMOptions = { extend: (context: Record<string, unknown>) => Record<string, unknown> };

/** What Next.js puts in place of what the edge runtime has not: to read it throws, or to call it. */
function unsupported(name: string): never {
  throw new Error(`A Node.js API is used (${name}) which is not supported in the Edge Runtime.`);
}

function processOfNext(): object {
  const members = Object.keys(process).filter((name) => name !== 'env');
  return Object.defineProperties(
    { env: {} },
    Object.fromEntries(members.map((name) => [name, { get: () => unsupported(`process.${name}`) }])),
  );
}

/** The library in a context of the edge runtime. */
async function opened() {
  const { EdgeVM } = await import(pathToFileURL(pathOf('edge runtime')).href);
  const extend: EdgeVMOptions['extend'] = (context) => {
    for (const name of ['DecompressionStream', 'CompressionStream', 'setImmediate'])
      Object.defineProperty(context, name, { get: () => unsupported(name), configurable: true });
    return Object.assign(context, { process: processOfNext() });
  };
  const vm: EdgeVM = new EdgeVM({ extend } satisfies EdgeVMOptions);
  vm.evaluate(await bundledProgram(program));
  return vm;
}

test.each(['detectors.wasm', 'kernel.wasm'])('gives the same answers with %s', async (file) => {
  const vm = await opened();
  const path = createRequire(join(libraryFolder, 'program.mjs')).resolve(`firstseen/${file}`);
  const answersIn = vm.evaluate('answersOf') as (module: WebAssembly.Module) => Promise<Record<string, unknown>>;
  const module = new WebAssembly.Module(readFileSync(path));
  if (file === 'kernel.wasm') expect(JSON.parse(JSON.stringify(await answersIn(module)))).toEqual(expectedAnswers);
  // The kernel of detectors does not compare documents.
  else await expect(answersIn(module)).rejects.toMatchObject({ code: 'E_PARAMETER', option: 'module' });
});

test('refuses to compile with a code that names the option', async () => {
  const vm = await opened();
  const refusals = (await (vm.evaluate('refusalsOf') as () => Promise<string[]>)()) as string[];
  expect([...refusals]).toEqual([...refusals].map(() => 'FirstseenError E_COMPILE'));
  expect(refusals.length).toBeGreaterThan(3);
});
