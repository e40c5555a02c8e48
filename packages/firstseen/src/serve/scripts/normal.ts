// The normal form of a script: scripts that differ in comments, blanks, quotes, names of variables or the case of commands have the same one.

import { type Token, tokensOf } from './tokens.js';

/** Longer scripts are not looked at. The longest one that a lock is known to send has about 1,000 bytes. */
export const MAX_SCRIPT_BYTES = 2048;

/** Names that mean what Redis gives to a script. A script that gives them another meaning has no normal form. */
const meaningful: readonly string[] = ['redis', 'KEYS', 'ARGV', 'ipairs', 'unpack', 'table', 'string', 'tonumber'];
/** Words after which an expression has ended. */
const statementWords: readonly string[] = ['local', 'if', 'for', 'return', 'end'];
/** Commands that do the same. */
const sameCommands: Readonly<Record<string, string>> = { unlink: 'del' };

function isSign(token: Token | undefined, value: string): boolean {
  return token?.kind === 'sign' && token.value === value;
}

function isName(token: Token | undefined, value: string): boolean {
  return token?.kind === 'name' && token.value === value;
}

/** The index of the parenthesis that closes the one at an index; the end of the tokens if none does. */
function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i++) {
    if (isSign(tokens[i], '(')) depth++;
    if (isSign(tokens[i], ')') && --depth === 0) return i;
  }
  return tokens.length;
}

/** The command that a script runs by what begins at an index, as `redis.call('get'`. */
function commandAt(tokens: readonly Token[], i: number): string | undefined {
  const isCall = isName(tokens[i], 'redis') && isSign(tokens[i + 1], '.') && isSign(tokens[i + 3], '(');
  if (!isCall || !['call', 'pcall'].includes(tokens[i + 2]?.value as string)) return undefined;
  const name = tokens[i + 4];
  return name?.kind === 'text' ? name.value.toLowerCase() : undefined;
}

/** Makes commands one token each, whose words are in upper case. */
function withCommands(tokens: readonly Token[]): Token[] {
  const changed: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const command = commandAt(tokens, i);
    if (command === undefined) {
      changed.push(tokens[i] as Token);
      continue;
    }
    const end = closing(tokens, i + 3);
    const first = isSign(tokens[i + 5], ',') ? i + 6 : i + 5;
    const words = tokens
      .slice(first, end)
      .map((token) => (token.kind === 'text' ? { ...token, value: token.value.toUpperCase() } : token));
    const value = sameCommands[command] ?? command;
    changed.push({ kind: 'command', value }, { kind: 'sign', value: '(' }, ...words);
    i = end - 1;
  }
  return changed;
}

/** The key or the argument that is named by what begins at an index, as `KEYS[1]`, and its length. */
function operandAt(tokens: readonly Token[], i: number): { operand: Token; length: number } | undefined {
  const [list, open, number, close] = tokens.slice(i, i + 4);
  if (isName(list, 'tonumber') && isSign(open, '(')) {
    const inner = operandAt(tokens, i + 2);
    return inner && isSign(tokens[i + 2 + inner.length], ')') ? { ...inner, length: inner.length + 3 } : undefined;
  }
  const isIndexed = isSign(open, '[') && number?.kind === 'number' && isSign(close, ']');
  if (!isIndexed || !(isName(list, 'KEYS') || isName(list, 'ARGV'))) return undefined;
  return { operand: { kind: 'operand', value: `${list?.value}[${number.value}]` }, length: 4 };
}

/** Makes keys and arguments one token each, and leaves semicolons out. */
function withOperands(tokens: readonly Token[]): Token[] {
  const changed: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const match = operandAt(tokens, i);
    if (match) i += match.length - 1;
    if (!isSign(tokens[i], ';')) changed.push(match?.operand ?? (tokens[i] as Token));
  }
  return changed;
}

/** Leaves out the parentheses around a condition. */
function withoutParentheses(tokens: readonly Token[]): Token[] {
  const left = new Set<number>();
  for (const [i, token] of tokens.entries()) {
    if (!(isName(token, 'if') || isName(token, 'elseif')) || !isSign(tokens[i + 1], '(')) continue;
    const end = closing(tokens, i + 1);
    if (isName(tokens[end + 1], 'then')) left.add(i + 1).add(end);
  }
  return tokens.filter((_, i) => !left.has(i));
}

/** The names of a list that begins at an index. */
function listAt(tokens: readonly Token[], from: number): string[] {
  const names: string[] = [];
  for (let i = from; tokens[i]?.kind === 'name'; i += 2) {
    names.push((tokens[i] as Token).value);
    if (!isSign(tokens[i + 1], ',')) break;
  }
  return names;
}

/** The names that are declared by what begins at an index. */
function declaredAt(tokens: readonly Token[], i: number): string[] {
  if (!(isName(tokens[i], 'local') || isName(tokens[i], 'for'))) return [];
  const isFunction = isName(tokens[i + 1], 'function');
  // The parameters of a function are declared as its name is.
  return isFunction ? [...listAt(tokens, i + 2), ...listAt(tokens, i + 4)] : listAt(tokens, i + 1);
}

/** The names that a script declares, a name as often as it does. */
function declaredIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((_, i) => declaredAt(tokens, i));
}

/** The names to which a script assigns values, but for those of declarations. */
function assignedIn(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token, i) => {
    if (!isSign(token, '=')) return [];
    let first = i - 1;
    while (isSign(tokens[first - 1], ',')) first -= 2;
    const isDeclared = isName(tokens[first - 1], 'local') || isName(tokens[first - 1], 'for');
    return isDeclared ? [] : listAt(tokens, first);
  });
}

/** Returns the name of the variable at a token; undefined if the token is not a name, or is the name of a field. */
function nameAt(tokens: readonly Token[], i: number): string | undefined {
  const token = tokens[i];
  return token?.kind === 'name' && !isSign(tokens[i - 1], '.') ? token.value : undefined;
}

/** Returns the number of times that each name occurs. */
function countOf(names: readonly (string | undefined)[]): Map<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The names of variables that are declared once, alone, and never change. */
function constantsIn(tokens: readonly Token[]): ReadonlySet<string> {
  const declared = declaredIn(tokens);
  const counts = countOf([...declared, ...assignedIn(tokens)]);
  return new Set(declared.filter((name) => counts.get(name) === 1));
}

/** The variable that is declared with a value at an index, if it is a constant. */
function constantAt(tokens: readonly Token[], i: number, constants: ReadonlySet<string>): string | undefined {
  if (!isName(tokens[i], 'local') || !isSign(tokens[i + 2], '=')) return undefined;
  const name = nameAt(tokens, i + 1);
  return name !== undefined && constants.has(name) ? name : undefined;
}

function isStatementEnd(token: Token | undefined): boolean {
  const isWord = token?.kind === 'name' && statementWords.includes(token.value);
  return token === undefined || token.kind === 'command' || isWord;
}

/** Puts the key or the argument in place of a variable that is another name for it. */
function withoutAliases(tokens: readonly Token[]): Token[] {
  const constants = constantsIn(tokens);
  const operands = new Map<string | undefined, Token>();
  const changed: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const name = constantAt(tokens, i, constants);
    const value = tokens[i + 3];
    if (name !== undefined && value?.kind === 'operand' && isStatementEnd(tokens[i + 4])) {
      operands.set(name, value);
      i += 3;
    } else changed.push(operands.get(nameAt(tokens, i)) ?? (tokens[i] as Token));
  }
  return changed;
}

/** Puts the reply of a command in place of a variable that only the condition after it has. */
function withoutReplies(tokens: readonly Token[]): Token[] {
  const constants = constantsIn(tokens);
  const counts = countOf(tokens.map((_, i) => nameAt(tokens, i)));
  const changed: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const name = constantAt(tokens, i, constants);
    const end = closing(tokens, i + 4) + 1;
    const isAsked = isName(tokens[end], 'if') && nameAt(tokens, end + 1) === name;
    // The declaration is one of two.
    if (name !== undefined && tokens[i + 3]?.kind === 'command' && isAsked && counts.get(name) === 2) {
      changed.push(tokens[end] as Token, ...tokens.slice(i + 3, end));
      i = end + 1;
    } else changed.push(tokens[i] as Token);
  }
  return changed;
}

/** Names variables by the order of their declarations. No script can have such a name. */
function withNumberedNames(tokens: readonly Token[]): Token[] {
  const names = new Map<string | undefined, string>();
  let count = 0;
  return tokens.map((token, i) => {
    for (const name of declaredAt(tokens, i)) names.set(name, `$${++count}`);
    const value = names.get(nameAt(tokens, i));
    return value === undefined ? token : { kind: 'name', value };
  });
}

const changes = [
  withCommands,
  withOperands,
  withoutParentheses,
  withoutAliases,
  withoutReplies,
  withNumberedNames,
] as const;

/** The normal form of a script; undefined if it has none, or is too long. */
export function normalForm(script: string): string | undefined {
  if (script.length > MAX_SCRIPT_BYTES) return undefined;
  let tokens = tokensOf(script);
  if (tokens === undefined) return undefined;
  if ([...declaredIn(tokens), ...assignedIn(tokens)].some((name) => meaningful.includes(name))) return undefined;
  for (const change of changes) tokens = change(tokens);
  return tokens.map(({ kind, value }) => (kind === 'text' ? `'${value}'` : value)).join(' ');
}
