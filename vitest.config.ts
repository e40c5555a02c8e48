import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

function source(name: string): string {
  return fileURLToPath(new URL(`./packages/firstseen/src/${name}.ts`, import.meta.url));
}

export default defineConfig({
  resolve: {
    // Tests import sources, and so does the laboratory in them: of the built package every class would be there twice.
    alias: [
      { find: /^firstseen$/, replacement: source('index') },
      { find: /^firstseen\/(node|internal)$/, replacement: source('$1') },
    ],
  },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'tools/test/**/*.test.mjs'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
