// Names that do not say what a local holds: participles and pronouns, which are true of anything that a function has.

import ts from '@typescript/typescript6';

/** The names that no local and no parameter has in a function longer than MAX_LINES, nor in a module. */
export const refusedNames = [
  ...['asked', 'found', 'given', 'kept', 'known'],
  ...['others', 'own', 'taken', 'told', 'wanted'],
];

/** A reader sees all of a function of as many lines at once, with what the name is given. */
const MAX_LINES = 10;

const PLACES = /^(?:packages\/[^/]+\/(?:src|page)|page)\//;

/** A member that is destructured under its own name has that of an interface. */
function isOwnName(node) {
  if (ts.isVariableDeclaration(node) || ts.isParameter(node)) return true;
  if (!ts.isBindingElement(node)) return false;
  return ts.isArrayBindingPattern(node.parent) || node.propertyName !== undefined || node.dotDotDotToken !== undefined;
}

/** The function around a node, from its name on; undefined in a module. */
function functionAround(node) {
  return ts.findAncestor(node, (one) => ts.isFunctionLike(one) && one.body !== undefined);
}

/** Finds locals and parameters with a name that does not say what they hold. */
export function localProblems(path, text) {
  if (!PLACES.test(path)) return [];
  if (!refusedNames.some((name) => text.includes(name))) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const isShort = (one) => one !== undefined && lineOf(one.end) - lineOf(one.getStart()) < MAX_LINES;
  const problems = [];
  const visit = (node) => {
    const isRefused = isOwnName(node) && ts.isIdentifier(node.name) && refusedNames.includes(node.name.text);
    const isOfType = ts.isParameter(node) && node.parent.body === undefined;
    if (isRefused && !isOfType && !isShort(functionAround(node))) {
      problems.push(`line ${lineOf(node.getStart())}: the local ${node.name.text} is not named for what it holds`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return problems;
}
