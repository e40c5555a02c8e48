import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['packages/firstseen/test/fuzz/fuzz.ts', 'packages/firstseen/test/fuzz/rotation/rotation.ts'],
    maxWorkers: 1,
  },
});
