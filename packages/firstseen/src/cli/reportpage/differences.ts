// The differences of two texts, word by word, by the shortest script of changes (Myers 1986, "An O(ND) difference algorithm").

/** A part of one text or of both. */
export interface TextPart {
  kind: 'both' | 'first' | 'second';
  text: string;
}

/** Changes beyond which two texts have too little in common to be told apart word by word. */
const MAX_CHANGES = 800;

/** Words, blanks, and other characters one by one. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** A step of the search: how far each diagonal has come, in words of the first text. */
type Reached = Int32Array;

/** The steps of the search up to the end of both; undefined after MAX_CHANGES. */
function search(first: readonly string[], second: readonly string[]): Reached[] | undefined {
  const most = Math.min(MAX_CHANGES, first.length + second.length);
  const steps: Reached[] = [];
  let before: Reached = new Int32Array(3);
  for (let changes = 0; changes <= most; changes++) {
    // The diagonal k is at k + changes + 1, with one place to spare on either side.
    const furthest: Reached = new Int32Array(2 * changes + 3);
    for (let k = -changes; k <= changes; k += 2) {
      let x = changes === 0 ? 0 : startOn(before, changes, k);
      while (x < first.length && x - k < second.length && first[x] === second[x - k]) x++;
      furthest[k + changes + 1] = x;
      if (x >= first.length && x - k >= second.length) return [...steps, furthest];
    }
    steps.push(furthest);
    before = furthest;
  }
  return undefined;
}

/** Tells if the diagonal k is entered from the one above it, by a word of the second text alone. */
function comesDown(before: Reached, changes: number, k: number): boolean {
  const at = k + changes;
  return k === -changes || (k !== changes && (before[at - 1] as number) < (before[at + 1] as number));
}

function startOn(before: Reached, changes: number, k: number): number {
  const at = k + changes;
  return comesDown(before, changes, k) ? (before[at + 1] as number) : (before[at - 1] as number) + 1;
}

/** The parts of the words of two texts, back from their ends. */
function partsBack(steps: readonly Reached[], first: readonly string[], second: readonly string[]): TextPart[] {
  const parts: TextPart[] = [];
  let [x, y] = [first.length, second.length];
  for (let changes = steps.length - 1; changes > 0; changes--) {
    const before = steps[changes - 1] as Reached;
    const k = x - y;
    const isDown = comesDown(before, changes, k);
    const start = startOn(before, changes, k);
    for (; x > start; x--, y--) parts.push({ kind: 'both', text: first[x - 1] as string });
    if (isDown) parts.push({ kind: 'second', text: second[--y] as string });
    else parts.push({ kind: 'first', text: first[--x] as string });
  }
  for (; x > 0; x--) parts.push({ kind: 'both', text: first[x - 1] as string });
  return parts;
}

/** Joins parts of one kind that follow each other. */
function joined(parts: readonly TextPart[]): TextPart[] {
  const result: TextPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === '') continue;
    if (last?.kind === part.kind) last.text += part.text;
    else result.push({ ...part });
  }
  return result;
}

function sharedStart(first: readonly string[], second: readonly string[]): number {
  const most = Math.min(first.length, second.length);
  let count = 0;
  while (count < most && first[count] === second[count]) count++;
  return count;
}

/** The parts of two texts in their order. What both have is told once. */
export function differencesOf(first: string, second: string): TextPart[] {
  const [all, latter] = [wordsOf(first), wordsOf(second)];
  const start = sharedStart(all, latter);
  const end = sharedStart(all.slice(start).reverse(), latter.slice(start).reverse());
  const [firstPart, secondPart] = [all.slice(start, all.length - end), latter.slice(start, latter.length - end)];
  const steps = search(firstPart, secondPart);
  const middle: TextPart[] = steps
    ? partsBack(steps, firstPart, secondPart).reverse()
    : [
        { kind: 'first', text: firstPart.join('') },
        { kind: 'second', text: secondPart.join('') },
      ];
  return joined([
    { kind: 'both', text: all.slice(0, start).join('') },
    ...middle,
    { kind: 'both', text: all.slice(all.length - end).join('') },
  ]);
}
