import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['fuzz.ts', 'rotation/rotation.ts', 'serve/parser.ts', 'pipe/frames.ts'].map(
      (path) => `packages/firstseen/test/fuzz/${path}`,
    ),
    // The entries run built files, also in a clone that was never tested.
    globalSetup: 'tools/build.mjs',
    maxWorkers: 1,
  },
});
