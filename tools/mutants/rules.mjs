// The mutations: what one place of a source becomes. A rule takes a node and gives the texts that may stand in its place.

import ts from '@typescript/typescript6';

const { SyntaxKind } = ts;

/** What a binary operator becomes, and the kind of mutation. */
const operators = {
  '<': ['<=', 'bound'],
  '<=': ['<', 'bound'],
  '>': ['>=', 'bound'],
  '>=': ['>', 'bound'],
  '===': ['!==', 'equality'],
  '!==': ['===', 'equality'],
  '==': ['!=', 'equality'],
  '!=': ['==', 'equality'],
  '&&': ['||', 'logic'],
  '||': ['&&', 'logic'],
  '+': ['-', 'arithmetic'],
  '-': ['+', 'arithmetic'],
  '*': ['/', 'arithmetic'],
  '/': ['*', 'arithmetic'],
  '%': ['*', 'arithmetic'],
  '&': ['|', 'arithmetic'],
  '|': ['&', 'arithmetic'],
  '^': ['&', 'arithmetic'],
  '<<': ['>>', 'arithmetic'],
  '>>': ['<<', 'arithmetic'],
  '>>>': ['<<', 'arithmetic'],
  '+=': ['-=', 'arithmetic'],
  '-=': ['+=', 'arithmetic'],
  '|=': ['&=', 'arithmetic'],
  '&=': ['|=', 'arithmetic'],
};

/** Methods that are exchanged. */
const methods = { min: 'max', max: 'min', some: 'every', every: 'some', ceil: 'floor', floor: 'ceil' };

/** A sum of these is a text, and its difference is no sensible mistake. */
function isText(node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return true;
  return (
    ts.isBinaryExpression(node) && node.operatorToken.getText() === '+' && (isText(node.left) || isText(node.right))
  );
}

function binary(node) {
  if (!ts.isBinaryExpression(node)) return [];
  const operator = node.operatorToken.getText();
  const [left, right] = [node.left.getText(), node.right.getText()];
  // Of a value that is there or not, `?? false` changes nothing for a condition.
  if (operator === '??') return /^(false|undefined)$/.test(right) ? [] : [{ kind: 'logic', after: left }];
  if (!Object.hasOwn(operators, operator) || (operator.startsWith('+') && (isText(node) || isText(node.right))))
    return [];
  const [exchanged, kind] = operators[operator];
  // The operands keep their own operators together.
  const side = (text, isSimple) => (isSimple ? text : `(${text})`);
  const isChained = exchanged === '&&' || exchanged === '||' || exchanged === '*' || exchanged === '/';
  const [isLeft, isRight] = [node.left, node.right].map((part) => !isChained || !ts.isBinaryExpression(part));
  return [{ kind, after: `${side(left, isLeft)} ${exchanged} ${side(right, isRight)}` }];
}

/** The condition of a branch. That of a loop is left alone: most of its mutants never end. */
function conditions(node) {
  const isCondition =
    (ts.isIfStatement(node.parent) && node.parent.expression === node) ||
    (ts.isConditionalExpression(node.parent) && node.parent.condition === node);
  return isCondition ? ['true', 'false'].map((after) => ({ kind: 'condition', after })) : [];
}

function constants(node) {
  if (node.kind === SyntaxKind.TrueKeyword) return [{ kind: 'constant', after: 'false' }];
  if (node.kind === SyntaxKind.FalseKeyword) return [{ kind: 'constant', after: 'true' }];
  if (ts.isBigIntLiteral(node)) return [{ kind: 'constant', after: `${BigInt(node.text.slice(0, -1)) + 1n}n` }];
  if (!ts.isNumericLiteral(node)) return [];
  const value = Number(node.text);
  if (!Number.isInteger(value)) return [{ kind: 'constant', after: `${value * 2}` }];
  // The parser gives the decimal text of the value.
  return [{ kind: 'constant', after: /e/i.test(node.text) ? `${value * 2}` : `${BigInt(node.text) + 1n}` }];
}

function negations(node) {
  if (!ts.isPrefixUnaryExpression(node)) return [];
  const operand = node.operand.getText();
  if (node.operator === SyntaxKind.ExclamationToken) return [{ kind: 'negation', after: operand }];
  const isNegative = node.operator === SyntaxKind.MinusToken && !ts.isNumericLiteral(node.operand);
  return isNegative ? [{ kind: 'negation', after: operand }] : [];
}

/** A statement that calls, without the call. */
function calls(node, { nothing }) {
  if (!ts.isExpressionStatement(node.parent)) return [];
  const call = ts.isAwaitExpression(node) ? node.expression : node;
  return ts.isCallExpression(call) ? [{ kind: 'call', after: nothing }] : [];
}

/** What is awaited, without waiting. The value that a function returns is awaited by its caller in any case. */
function awaits(node) {
  if (!ts.isAwaitExpression(node) || ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent)) return [];
  return [{ kind: 'await', after: node.expression.getText() }];
}

function functionOf(node) {
  return ts.findAncestor(node, ts.isFunctionLike);
}

/** The value of a function that says that it returns a boolean. */
function returns(node) {
  const isReturned =
    (ts.isReturnStatement(node.parent) || (ts.isArrowFunction(node.parent) && node.parent.body === node)) &&
    ts.isExpression(node);
  if (!isReturned || functionOf(node.parent)?.type?.kind !== SyntaxKind.BooleanKeyword) return [];
  const isLiteral = node.kind === SyntaxKind.TrueKeyword || node.kind === SyntaxKind.FalseKeyword;
  return isLiteral ? [] : [{ kind: 'return', after: `!(${node.getText()})` }];
}

function exchangedMethods(node) {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
  const { expression, name, questionDotToken } = node.expression;
  if (questionDotToken !== undefined || !Object.hasOwn(methods, name.text)) return [];
  const text = node.getText();
  const at = name.getStart() - node.getStart();
  const isRounding = name.text === 'ceil' || name.text === 'floor';
  if ((isRounding || /^(min|max)$/.test(name.text)) && expression.getText() !== 'Math') return [];
  return [{ kind: 'method', after: `${text.slice(0, at)}${methods[name.text]}${text.slice(at + name.text.length)}` }];
}

const rules = [binary, conditions, constants, negations, calls, awaits, returns, exchangedMethods];

/**
 * The mutations of a node.
 * @param nothing the text of an expression without effect, in place of a call
 * @returns [{ kind, after }]
 */
export function mutationsOf(node, { nothing }) {
  return rules.flatMap((rule) => rule(node, { nothing }));
}
