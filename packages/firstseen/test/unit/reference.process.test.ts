// Everything that the declarations of the package show has a text for editors to show.

import { join } from 'node:path';
import ts from '@typescript/typescript6';
import { expect, test } from 'vitest';
import { requireBuilt } from '../support/built.js';
import { packageFolder, repositoryFolder } from '../support/folders.js';

requireBuilt('declarations');

const distFolder = join(packageFolder, 'dist');
const files = ['index', 'node', 'errors', 'motifs', 'near', 'partitions', 'plan'].map((entry) =>
  join(distFolder, `${entry}.d.ts`),
);
const program = ts.createProgram(files, {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts'],
  typeRoots: [join(repositoryFolder, 'node_modules/@types')],
  types: ['node'],
});
const checker = program.getTypeChecker();

/** What an entry exports, without the aliases by which it does. */
function exportsOf(file: string): ts.Symbol[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

function isPublicMember(symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.find((one) => one.getSourceFile().fileName.startsWith(distFolder));
  if (declaration === undefined || !(ts.isTypeElement(declaration) || ts.isClassElement(declaration))) return false;
  if (ts.isConstructorDeclaration(declaration)) return false;
  if (declaration.name !== undefined && ts.isPrivateIdentifier(declaration.name)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(declaration) & hidden) === 0;
}

/** The members by their names: of an interface or a class with those that it inherits here, and static ones. */
function membersOf(symbol: ts.Symbol): [string, ts.Symbol][] {
  const own = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const fixed = symbol.flags & ts.SymbolFlags.Class ? [...(symbol.exports?.values() ?? [])] : [];
  return [...own, ...fixed].filter(isPublicMember).map((member) => [`${symbol.name}.${member.name}`, member]);
}

test('every public name and every public member is documented', () => {
  const exported = [...new Set(files.flatMap(exportsOf))];
  const named = exported.flatMap((symbol) => [[symbol.name, symbol] as const, ...membersOf(symbol)]);
  expect(named.length).toBeGreaterThan(400);
  const missing = named.filter(([, symbol]) => symbol.getDocumentationComment(checker).length === 0);
  expect(missing.map(([name]) => name)).toEqual([]);
});
