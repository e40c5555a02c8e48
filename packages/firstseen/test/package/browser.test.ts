// The entry `firstseen` runs outside Node: neither it nor its imports use modules or globals of Node.

import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { type OutputChunk, rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { packageFolder } from '../support/folders.js';

/** Bundles the entry with all its static and dynamic imports into one script for a browser. */
async function bundleForBrowser(): Promise<OutputChunk> {
  const bundle = await rolldown({ input: join(packageFolder, 'dist/index.js'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'iife', name: 'firstseen', codeSplitting: false });
  await bundle.close();
  expect(output).toHaveLength(1);
  return output[0];
}

const { fileName, code, imports, dynamicImports, moduleIds } = await bundleForBrowser();

test('imports only chunks of the package', () => {
  expect(moduleIds.length).toBeGreaterThan(3);
  // The bundler adds functions of its own.
  for (const id of moduleIds.filter((id) => !id.startsWith('\0rolldown')))
    expect(id.startsWith(join(packageFolder, 'dist')), id).toBe(true);
  // What is loaded later is in the same script.
  expect([...imports, ...dynamicImports].filter((name) => name !== fileName)).toEqual([]);
  // What the platform hands out is used where there is one, and there is another way elsewhere.
  const handedOut = /\bbuiltinModule\(["']node:\w+["']\)/g;
  expect(code.match(handedOut)).toHaveLength(2);
  expect(code.replace(handedOut, '')).not.toMatch(/["'`]node:/);
  expect(code).not.toMatch(/\bimport\(|\brequire\(/);
});

test('runs with only the globals of a browser', async () => {
  const { atob, btoa, crypto, performance, queueMicrotask, setTimeout, clearTimeout } = globalThis;
  const { TextEncoder, TextDecoder, DecompressionStream, TransformStream, ReadableStream, WritableStream } = globalThis;
  const web = { atob, btoa, crypto, performance, queueMicrotask, setTimeout, clearTimeout };
  const streams = { DecompressionStream, TransformStream, ReadableStream, WritableStream };
  const context = createContext({ ...web, ...streams, TextEncoder, TextDecoder, WebAssembly, Error, AbortController });
  runInContext(`${code}\nglobalThis.firstseen = firstseen;`, context);
  const answers = await runInContext(
    `(async () => {
      const detector = await firstseen.create({ memory: '1MiB', secret: 'random', witness: true });
      const saved = await firstseen.create({ memory: '1MiB' });
      saved.observe('a');
      const loaded = await firstseen.load(await firstseen.save(saved));
      const passed = [];
      for await (const item of firstseen.dedup(['a', 'b', 'a'], { memory: '1MiB' })) passed.push(item);
      return JSON.stringify([detector.observe('a'), detector.observe('a'), passed, loaded.observe('a')]);
    })()`,
    context,
  );
  expect(JSON.parse(answers)).toEqual(['distinct', 'duplicate', ['a', 'b'], 'duplicate']);
});
