// Adds a note before each statement of a function, so that a run tells which lines each test reaches.

import ts from '@typescript/typescript6';

/** The call that notes a point. `runtime` defines it. */
const NOTE = '__near';

/** Declarations do nothing where they stand, so that nothing is noted before them. */
const declarations = new Set([
  ts.SyntaxKind.FunctionDeclaration,
  ts.SyntaxKind.InterfaceDeclaration,
  ts.SyntaxKind.TypeAliasDeclaration,
]);

function isStatementList(node) {
  return ts.isBlock(node) || ts.isCaseOrDefaultClause(node);
}

/** A statement that is the whole body of a condition or a loop, without braces. */
function isBareBody(node, parent) {
  if (!ts.isStatement(node) || ts.isBlock(node)) return false;
  if (ts.isIfStatement(parent)) return node === parent.thenStatement || node === parent.elseStatement;
  return ts.isIterationStatement(parent, false) && node === parent.statement;
}

function isArrowExpression(node, parent) {
  return ts.isArrowFunction(parent) && node === parent.body && !ts.isBlock(node);
}

/** The texts that are inserted around a node so that it is noted; undefined if it is no point of its own. */
function wrappingOf(node, parent) {
  if (isArrowExpression(node, parent)) return ['(', ', ', ')'];
  if (isBareBody(node, parent)) return ['{ ', '; ', ' }'];
  const isListed = ts.isStatement(node) && isStatementList(parent) && !declarations.has(node.kind);
  return isListed ? ['', '; ', ''] : undefined;
}

/**
 * Notes the statements of the functions of a file. Lines keep their numbers.
 * @param firstPoint the number of the first point
 * @returns the new text, and for each point its lines, counted from 1
 */
export function instrumented(path, text, firstPoint) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const insertions = [];
  const points = [];
  const lineAt = (position) => file.getLineAndCharacterOfPosition(position).line + 1;
  function visit(node, parent) {
    const wrapping = wrappingOf(node, parent);
    if (wrapping) {
      const [before, between, after] = wrapping;
      const [start, end] = [node.getStart(file), node.getEnd()];
      insertions.push({
        at: start,
        order: points.length,
        text: `${before}${NOTE}(${firstPoint + points.length})${between}`,
      });
      // What ends inside ends first.
      if (after !== '') insertions.push({ at: end, order: -points.length, text: after });
      points.push([lineAt(start), lineAt(end)]);
    }
    ts.forEachChild(node, (child) => visit(child, node));
  }
  ts.forEachChild(file, (child) => visit(child, file));
  return { text: withInsertions(text, insertions), points };
}

function withInsertions(text, insertions) {
  const pieces = [];
  let from = 0;
  for (const { at, text: inserted } of insertions.sort((a, b) => a.at - b.at || a.order - b.order)) {
    pieces.push(text.slice(from, at), inserted);
    from = at;
  }
  return `${pieces.join('')}${text.slice(from)}`;
}

/**
 * The beginning of an instrumented file, on its first line. A point is noted once for each unit of tests. The process of a test knows its
 * unit from the runner; processes and threads that it starts know it from their environment, and write at once, as they may be killed.
 */
export function runtime(pointCount) {
  const state = `(() => {
    const environment = globalThis.process?.env;
    const file = environment?.NEAR_TESTS_FILE;
    const files = file && globalThis.process.getBuiltinModule?.('node:fs');
    return { seen: new Uint8Array(${pointCount}), note: files ? (point) => files.appendFileSync(file, point + '\\n') : () => {} };
  })()`;
  const note = `const ${NOTE} = ((state) => (point) => {
    if (state.seen[point] === 0) { state.seen[point] = 1; state.note(point); }
  })(globalThis.__nearState ??= ${state});`;
  return note.replaceAll(/\s*\n\s*/g, ' ');
}
