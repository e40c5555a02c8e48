// The declarations of the library, which the build writes: what the entries export, and what that names.

import { join } from 'node:path';
import ts from '@typescript/typescript6';
import { publicEntries } from '../build/bundle.mjs';

const typeKinds = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class;

function resolved(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isHiddenMember(node) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return ts.isPrivateIdentifier(node.name ?? node) || (ts.getCombinedModifierFlags(node) & hidden) !== 0;
}

function hasMembers(declaration) {
  return ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
}

/** @param root the folder of the repository, after a build */
export function openLibrary(root) {
  const folder = join(root, 'packages/firstseen/build/types');
  const fileOf = (entry) => join(folder, `${entry}.d.ts`);
  const program = ts.createProgram(publicEntries.map(fileOf), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const checker = program.getTypeChecker();

  /** What an entry exports, as { name, symbol }. */
  function exportsOf(entry) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(fileOf(entry)));
    return checker
      .getExportsOfModule(module)
      .map((symbol) => ({ name: symbol.name, symbol: resolved(checker, symbol) }));
  }

  /** The declarations of a symbol of the library; none for one that the platform declares. */
  function declarationsOf(symbol) {
    const declarations = symbol.declarations ?? [];
    return declarations.every((one) => one.getSourceFile().fileName.startsWith(folder)) ? declarations : [];
  }

  /**
   * The members of an interface or a class that a program can use, and what it extends. Members of a base that has no section of its
   * own are among them.
   */
  function contentsOf(declaration, hasSection) {
    if (!hasMembers(declaration)) return { members: [], heritage: [] };
    const bases = declaration.heritageClauses?.flatMap(({ types }) => types) ?? [];
    const parts = bases.map((base) => {
      const symbol = resolved(checker, checker.getSymbolAtLocation(base.expression));
      const inner = declarationsOf(symbol).filter(hasMembers);
      if (hasSection(symbol) || inner.length === 0) return [{ members: [], heritage: [base] }];
      return inner.map((one) => contentsOf(one, hasSection));
    });
    return {
      members: [
        ...declaration.members.filter((member) => !isHiddenMember(member)),
        ...parts.flat().flatMap(({ members }) => members),
      ],
      heritage: parts.flat().flatMap(({ heritage }) => heritage),
    };
  }

  /** The words of a type that is a union of words, which its declaration may derive from a constant; undefined for others. */
  function wordsOf(declaration) {
    if (!ts.isTypeAliasDeclaration(declaration)) return undefined;
    const { types } = checker.getTypeAtLocation(declaration);
    return types?.every((one) => one.isStringLiteral()) ? types.map(({ value }) => value) : undefined;
  }

  /** The types of the library that a declaration names where a program can see it. */
  function namedBy(declaration, hasSection) {
    if (wordsOf(declaration)) return [];
    const found = new Set();
    const visit = (node) => {
      const symbol = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
      if (symbol) found.add(resolved(checker, symbol));
      ts.forEachChild(node, visit);
    };
    const { members, heritage } = contentsOf(declaration, hasSection);
    for (const node of hasMembers(declaration) ? [...members, ...heritage] : [declaration]) visit(node);
    return [...found].filter((symbol) => symbol.flags & typeKinds && declarationsOf(symbol).length > 0);
  }

  return { exportsOf, declarationsOf, contentsOf, wordsOf, namedBy };
}
