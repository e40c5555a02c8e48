// A copy of the checkout with its packages, in which a tool changes the source without disturbing anybody.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The files that git tracks or does not ignore. */
export function sourceFiles(root) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return [...new Set(listed.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path)));
}

/**
 * Copies a checkout to a folder, in place of what is there. The copy is a repository of its own, because some tests ask git.
 * @param folder a temporary one, which the caller removes, if it is not given
 * @returns the folder
 */
export function copyTree(root, folder = mkdtempSync(join(tmpdir(), 'firstseen-copy-'))) {
  rmSync(folder, { recursive: true, force: true });
  for (const path of sourceFiles(root)) cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true });
  // Links between the packages of the workspace are relative, so that they lead to the copy.
  cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=copy', '-c', 'user.email=copy@localhost', 'commit', '--quiet', '--message', 'Copy');
  return folder;
}
