// The lines of a file that changed since a commit, as the commit numbers them.

import { execFileSync } from 'node:child_process';
import ts from '@typescript/typescript6';

function git(root, ...args) {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 26,
  });
}

/** The lines that the hunks of `git diff --unified=0` replace. Lines that are only added lie between two lines, which both count. */
export function replacedLines(diff) {
  const lines = new Set();
  for (const [, start, count = '1'] of diff.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)) {
    const first = Number(start);
    const number = Number(count);
    if (number === 0) for (const line of [first, first + 1]) lines.add(line);
    for (let line = first; line < first + number; line++) lines.add(line);
  }
  return [...lines];
}

const withoutEffect = new Set([
  ts.SyntaxKind.ImportDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
]);

/** The lines of a text outside of comments, imports and types, which the compiler checks, and which no test can see. */
export function effectiveLines(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = new Set();
  for (const statement of file.statements.filter(({ kind }) => !withoutEffect.has(kind))) {
    const [start, end] = [statement.getStart(file), statement.getEnd()];
    const [first, last] = [start, end].map((position) => file.getLineAndCharacterOfPosition(position).line + 1);
    for (let line = first; line <= last; line++) lines.add(line);
  }
  const rows = text.split('\n');
  return new Set([...lines].filter((line) => !/^\s*(?:\/\/|\/\*|\*|$)/.test(rows[line - 1])));
}

/**
 * The lines of a file that changed since a commit and that a test can see; all such lines if nothing has changed.
 * @returns undefined if the commit, or the file in it, is not there
 */
export function changedLines(root, path, commit) {
  let text;
  try {
    text = git(root, 'show', `${commit}:${path}`);
  } catch {
    return undefined;
  }
  const effective = effectiveLines(path, text);
  const replaced = replacedLines(git(root, 'diff', '--unified=0', commit, '--', path));
  return replaced.length === 0 ? [...effective] : replaced.filter((line) => effective.has(line));
}

/** The files that differ from the last commit, and new ones. */
export function changedFiles(root) {
  const differing = git(root, 'diff', '--name-only', 'HEAD').split('\n');
  const added = git(root, 'ls-files', '--others', '--exclude-standard').split('\n');
  return [...differing, ...added].filter(Boolean);
}
