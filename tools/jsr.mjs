// Writes the folder that is published at JSR, `npm run jsr`: the package with other declarations. JSR takes no global declarations, by
// which those of npm serve programs without the types of the platform. And Deno finds declarations by their own names only.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from '@typescript/typescript6';
import { build } from './build.mjs';

const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '../packages/firstseen');

/** The nodes of a statement that JSR does not take, each with what replaces it. */
function replaced(statement) {
  if (ts.isModuleDeclaration(statement) && ts.isGlobalScopeAugmentation(statement)) return [[statement, '']];
  const { moduleSpecifier } = statement;
  if (moduleSpecifier === undefined || !/^\.\.?\//.test(moduleSpecifier.text)) return [];
  return [[moduleSpecifier, `'${moduleSpecifier.text.replace(/js$/, 'd.ts')}'`]];
}

/** A file of declarations as JSR takes it. */
function forJsr(text) {
  const source = ts.createSourceFile('a.d.ts', text, ts.ScriptTarget.Latest);
  const parts = source.statements.flatMap(replaced).reverse();
  return parts.reduce((rest, [node, by]) => rest.slice(0, node.getStart(source)) + by + rest.slice(node.end), text);
}

await build();
const folder = join(packageFolder, 'build/jsr');
rmSync(folder, { recursive: true, force: true });
for (const name of ['dist', 'jsr.json', 'README.md', 'LICENSE']) {
  cpSync(join(packageFolder, name), join(folder, name), { recursive: true });
}
// JSR takes no CommonJS.
rmSync(join(folder, 'dist/cjs'), { recursive: true });
for (const file of readdirSync(join(folder, 'dist'), { recursive: true })) {
  if (file.endsWith('.cjs')) rmSync(join(folder, 'dist', file));
}
const files = readdirSync(join(folder, 'dist'), { recursive: true }).filter((file) => file.endsWith('.d.ts'));
for (const path of files.map((file) => join(folder, 'dist', file))) {
  writeFileSync(path, forJsr(readFileSync(path, 'utf8')));
}
console.log(`run "npx deno publish" in ${folder}`);
