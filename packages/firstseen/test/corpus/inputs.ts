// The files of the corpus.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CorpusInput } from './entries.ts';

export const inputsFolder = fileURLToPath(new URL('./inputs', import.meta.url));

/** All inputs. The name of each is its path relative to the folder of inputs. */
export function readInputs(): CorpusInput[] {
  return readdirSync(inputsFolder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(inputsFolder, path)).isFile())
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(inputsFolder, name)) }));
}
