// Programs in one file, as the tools of hosts bundle them.

import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { libraryFolder } from './runtime.js';

/**
 * A program that uses the packed library, in one file.
 * @param external modules that are left out
 */
export async function bundledProgram(
  program: string,
  { format = 'iife', external = [] }: { format?: 'iife' | 'esm'; external?: string[] } = {},
): Promise<string> {
  const path = join(libraryFolder, 'bundled.mjs');
  const bundle = await rolldown({
    input: 'bundled',
    cwd: libraryFolder,
    platform: 'neutral',
    external,
    plugins: [
      {
        name: 'bundled',
        resolveId: (id) => (id === 'bundled' ? path : null),
        load: (id) => (id === path ? program : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
