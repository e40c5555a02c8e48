// The built package as its users install it: beside the client, in a folder of its own, also with a defect.

import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addDefect } from '../defects.mjs';

const packageFolder = fileURLToPath(new URL('../../../packages/firstseen', import.meta.url));

/**
 * Copies the package as it is built.
 * @param options client: the folder whose `node_modules` has the client, which is left empty without it; folder: that of another built package; defect: { file, changes: pairs of texts }: what is replaced in a file
 * @throws Error unless each text of the defect is found once
 */
export function copyPackage({ client, defect, folder = packageFolder }) {
  const copy = mkdtempSync(join(tmpdir(), 'firstseen-kafka-package-'));
  for (const name of ['dist', 'package.json']) cpSync(join(folder, name), join(copy, name), { recursive: true });
  // Other users can run it.
  chmodSync(copy, 0o755);
  const modules = join(copy, 'node_modules');
  if (client) symlinkSync(join(client, 'node_modules'), modules);
  else mkdirSync(modules);
  if (defect) addDefect(copy, defect);
  return {
    modules,
    main: join(copy, 'dist/cli/main.js'),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}

/** Copies the package for as long as some work takes. @param options as of `copyPackage` @param work is given what `copyPackage` returns */
export async function withPackage(options, work) {
  const copy = copyPackage(options);
  try {
    return await work(copy);
  } finally {
    copy.remove();
  }
}
