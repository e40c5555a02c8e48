// What setup files do at the end of each file of tests.

import { afterAll, type TestContext } from 'vitest';

type File = Pick<TestContext['task']['file'], 'meta'>;

/** Notes something in what reporters get of the file. Called by a setup file, which runs before each file of tests. */
export function afterFile(note: (meta: File['meta']) => void): void {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest gives fixtures first, and takes no other pattern
  afterAll(({}, file) => note(file.meta));
}
