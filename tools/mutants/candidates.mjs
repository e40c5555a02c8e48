// Every place of a source that can be mutated, with a name that other edits of the file do not change.

import { createHash } from 'node:crypto';
import ts from '@typescript/typescript6';
import { isKernelSource, isProductSource } from '../kernelsources.mjs';
import { isFixedItself, isLeftOut, isLeftOutFile } from './leftout.mjs';
import { mutationsOf } from './rules.mjs';

/** The folder of a source by which the sample is spread: `packages/firstseen/src/serve`. Files at the top are a room together. */
export function roomOf(path) {
  const [packages, name, language, folder] = path.split('/');
  return [packages, name, language, ...(folder.endsWith('.ts') ? [] : [folder])].join('/');
}

function nameOf(node) {
  const named = ts.isArrowFunction(node) || ts.isFunctionExpression(node) ? node.parent : node;
  return named.name?.getText() ?? (ts.isConstructorDeclaration(node) ? 'constructor' : '');
}

/** The names of the functions and classes around a node, from the outermost on. */
function pathOf(node) {
  const names = [];
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isFunctionLike(at) || ts.isClassDeclaration(at)) names.unshift(nameOf(at));
  }
  return names.join('.');
}

export function digestOf(...parts) {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

function compact(text) {
  return text.replace(/\s+/g, ' ');
}

/**
 * The candidates of a file in the order of the text.
 * @returns [{ id, file, room, kind, line, start, end, before, after }]. `before` is the text from `start` to `end`
 */
export function candidatesOf(file, text) {
  if (!isProductSource(file) || isLeftOutFile(file, text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const nothing = isKernelSource(file) ? '0' : 'undefined';
  const times = new Map();
  const candidates = [];

  function add(node, { kind, after }) {
    const before = node.getText();
    const name = [file, pathOf(node), kind, compact(before), compact(after)].join('\0');
    const index = times.get(name) ?? 0;
    times.set(name, index + 1);
    const start = node.getStart();
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    const id = digestOf(name, index).slice(0, 8);
    candidates.push({ id, file, room: roomOf(file), kind, line, start, end: node.getEnd(), before, after });
  }

  function visit(node) {
    if (isLeftOut(node)) return;
    if (ts.isExpression(node) && !isFixedItself(node)) {
      for (const mutation of mutationsOf(node, { nothing })) add(node, mutation);
    }
    ts.forEachChild(node, visit);
  }

  visit(source);
  return candidates;
}
