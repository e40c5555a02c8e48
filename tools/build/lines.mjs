// Breaks minified code into lines. When an error is not caught, Node prints the line that threw it, and a line of a whole file hides
// the message.

import { parseAst } from 'rolldown/parseAst';

/** A line is broken at the next statement after this many characters. */
const LINE_CHARACTERS = 160;

/** The starts of all statements and class members below a node, in any order. */
function startsOf(node, starts = []) {
  if (Array.isArray(node)) {
    for (const one of node) startsOf(one, starts);
  } else if (node !== null && typeof node === 'object') {
    if (Array.isArray(node.body)) starts.push(...node.body.map(({ start }) => start));
    for (const value of Object.values(node)) if (typeof value === 'object') startsOf(value, starts);
  }
  return starts;
}

/** The same code with line breaks between statements and between class members. */
export function withLines(code) {
  const parts = [];
  let from = 0;
  for (const start of startsOf(parseAst(code)).sort((a, b) => a - b)) {
    if (start - from < LINE_CHARACTERS) continue;
    parts.push(code.slice(from, start));
    from = start;
  }
  return [...parts, code.slice(from)].join('\n');
}
