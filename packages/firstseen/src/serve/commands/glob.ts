// Patterns of Redis: * is any text, ? any character, [a-c] one of some, [^a] any other, and \ takes the next character as it is.

/** The condition for one character of a text. */
type One = (character: string) => boolean;

/** The characters between brackets. A bracket that is not closed ends with the pattern, as in Redis. */
function setAt(pattern: string, from: number): { one: One; end: number } {
  const isNegated = pattern[from] === '^';
  const ranges: [string, string][] = [];
  let i = isNegated ? from + 1 : from;
  for (; i < pattern.length && pattern[i] !== ']'; i++) {
    if (pattern[i] === '\\' && i + 1 < pattern.length) i++;
    const first = pattern[i] as string;
    const isRange = pattern[i + 1] === '-' && i + 2 < pattern.length;
    if (isRange) i += 2;
    const [low, high] = [first, pattern[i] as string].sort() as [string, string];
    ranges.push([low, high]);
  }
  const one: One = (character) => ranges.some(([low, high]) => character >= low && character <= high) !== isNegated;
  return { one, end: i };
}

/** The parts of a pattern; undefined is any text. */
function partsOf(pattern: string): (One | undefined)[] {
  const parts: (One | undefined)[] = [];
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] as string;
    if (character === '*') parts.push(undefined);
    else if (character === '?') parts.push(() => true);
    else if (character === '[') {
      const { one, end } = setAt(pattern, i + 1);
      parts.push(one);
      i = end;
    } else {
      const escaped = character === '\\' && i + 1 < pattern.length ? (pattern[++i] as string) : character;
      parts.push((other) => other === escaped);
    }
  }
  return parts;
}

/** Tells which texts match a pattern, in time that grows with the length of both. */
export function globOf(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern);
  return (text) => {
    let [part, at] = [0, 0];
    // The latest star, and the end of what it takes.
    let [star, starEnd] = [-1, 0];
    while (at < text.length) {
      const one = parts[part];
      if (part < parts.length && one === undefined) [star, starEnd, part] = [part, at, part + 1];
      else if (one?.(text[at] as string)) [part, at] = [part + 1, at + 1];
      else if (star >= 0) [part, at] = [star + 1, ++starEnd];
      else return false;
    }
    while (part < parts.length && parts[part] === undefined) part++;
    return part === parts.length;
  };
}
