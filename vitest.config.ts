import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

function source(name: string): string {
  return fileURLToPath(new URL(`./packages/firstseen/src/${name}.ts`, import.meta.url));
}

/** The tests of runtimes need what tools/runtimes.mjs fetches, which runs them and no others. */
const runtimes = 'packages/firstseen/test/runtimes/*.test.ts';
const onlyRuntimes = process.env.FIRSTSEEN_RUNTIMES !== undefined;

export default defineConfig({
  resolve: {
    // Tests import sources, and so does the laboratory in them: of the built package every class would be there twice.
    alias: [
      { find: /^firstseen$/, replacement: source('index') },
      { find: /^firstseen\/(errors|internal|motifs|near|node|partitions|plan)$/, replacement: source('$1') },
    ],
  },
  test: {
    include: onlyRuntimes ? [runtimes] : ['packages/*/test/**/*.test.ts', 'tools/test/**/*.test.mjs'],
    exclude: onlyRuntimes ? [] : ['**/node_modules/**', runtimes],
    // An edit is seen by the tests that run built files.
    globalSetup: 'tools/build.mjs',
    setupFiles: ['packages/firstseen/test/support/equality.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
