// Places that are not mutated: a change there cannot change what a program does, or only what a person reads.

import ts from '@typescript/typescript6';

const { SyntaxKind } = ts;

/** Times and sizes of pieces, which results must not depend on. */
const WITHOUT_MEANING = /MILLISECONDS|SECONDS$|POLL|TIMEOUT|DELAY|BUFFER|CHUNK|PIECE/;

/** Files that are written by a program, that have no code of their own, or that are tables of figures from papers. */
export function isLeftOutFile(path, text) {
  return /\.d\.ts$|\/(abi|module)\.ts$|\/published\/[a-z]+\d+\.ts$/.test(path) || /^.*not to be edited/.test(text);
}

/** An error that is made: its text, and the arguments that it tells. */
function isMessage(node) {
  return (
    ts.isThrowStatement(node) ||
    (ts.isNewExpression(node) && /Error$/.test(node.expression.getText())) ||
    (ts.isCallExpression(node) && /^(console|logger)\.|(^|\.)(warn|assert|abort)$/.test(node.expression.getText()))
  );
}

/** A constant whose name says that it is a time or the size of a piece. */
function isWithoutMeaning(node) {
  return ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && WITHOUT_MEANING.test(node.name.text);
}

/** Nodes that are left out with all that is in them. */
export function isLeftOut(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isDecorator(node) ||
    node.modifiers?.some(({ kind }) => kind === SyntaxKind.DeclareKeyword) === true ||
    // A text with values in it is read by a person.
    ts.isTemplateSpan(node) ||
    isMessage(node) ||
    isWithoutMeaning(node)
  );
}

/** Tells whether a node is the name of a property or a method, which has no value of its own. */
function isName(node) {
  const { parent } = node;
  return (ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node;
}

/** The call of the parent class, without which nothing runs. */
function isFixed(node) {
  return ts.isCallExpression(node) && node.expression.kind === SyntaxKind.SuperKeyword;
}

/** The step of a loop, whose mutants never end. */
function isStep(node) {
  return ts.isForStatement(node.parent) && node.parent.incrementor === node;
}

/** A node whose children may be mutated, and that itself may not. */
export function isFixedItself(node) {
  return isName(node) || isFixed(node) || isStep(node);
}
