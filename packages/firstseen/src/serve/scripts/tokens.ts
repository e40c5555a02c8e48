// The tokens of a script in Lua. Comments and blanks are none.

export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'sign' | 'command' | 'operand';
  /** A text without its quotes. */
  readonly value: string;
}

/** A text with escapes, and a comment or a text in brackets with a level, are not read: no script of a lock has one. */
const pattern =
  /(?<blank>\s+|--\[\[[\s\S]*?\]\]|--(?!\[=*\[)[^\n]*)|(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?)|(?<quoted>'[^'\\\n]*'|"[^"\\\n]*")|(?<sign>[=~<>]=|\.\.|[-+*/%#(){}[\],;=.<>])/y;

function tokenOf({ name, number, quoted, sign }: Record<string, string | undefined>): Token | undefined {
  if (name !== undefined) return { kind: 'name', value: name };
  if (number !== undefined) return { kind: 'number', value: number };
  if (quoted !== undefined) return { kind: 'text', value: quoted.slice(1, -1) };
  return sign === undefined ? undefined : { kind: 'sign', value: sign };
}

/** The tokens of a script; undefined if it has something else. */
export function tokensOf(script: string): Token[] | undefined {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < script.length) {
    const groups = pattern.exec(script)?.groups;
    if (groups === undefined) return undefined;
    const token = tokenOf(groups);
    if (token) tokens.push(token);
  }
  return tokens;
}
