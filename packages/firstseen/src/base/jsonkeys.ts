// Finds in JSON what parsing loses: a key that an object has twice, of which the last one wins in silence.

/** Strings, and what separates values. The text is JSON, so all else is a number or a word. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** A key that an object has twice. */
export interface RepeatedKey {
  /** The keys that lead to it, and itself. */
  path: readonly string[];
  /** The line of the second one, from 1 on. */
  line: number;
}

/** An object or an array that is open. */
interface Open {
  /** The keys so far; undefined for an array. */
  keys: Set<string> | undefined;
  /** True if the next string is a key. */
  isKeyNext: boolean;
  /** The latest key. */
  key?: string;
}

/** The first key that an object of a text has twice. @param text what `JSON.parse` takes */
export function repeatedKey(text: string): RepeatedKey | undefined {
  const open: Open[] = [];
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const inner = open.at(-1);
    if (token === '{') open.push({ keys: new Set(), isKeyNext: true });
    else if (token === '[') open.push({ keys: undefined, isKeyNext: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') (inner as Open).isKeyNext = inner?.keys !== undefined;
    else if (inner?.keys && inner.isKeyNext) {
      const key = JSON.parse(token) as string;
      inner.key = key;
      inner.isKeyNext = false;
      if (inner.keys.has(key)) {
        const path = open.flatMap((level) => level.key ?? []);
        return { path, line: text.slice(0, index).split('\n').length };
      }
      inner.keys.add(key);
    }
  }
  return undefined;
}
