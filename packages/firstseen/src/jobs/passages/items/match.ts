// Decides which test items a text contains, from the n-grams that both have, and where these are.

import { TEXT_BOUNDARY } from '../../../kernel/abi.js';

/** An n-gram of a text that items have: its number, and its first byte and one past its last. */
export interface Hit {
  number: number;
  startByte: number;
  endByte: number;
}

/** Items by the numbers of their n-grams. */
export interface ItemNgrams {
  /** The items that have an n-gram, by its number less one. */
  itemsOf: readonly (readonly number[])[];
  /** The different n-grams of each item. */
  counts: readonly number[];
}

/** An item that a text contains, and the share of its n-grams that the text has. */
export interface MatchedItem {
  item: number;
  share: number;
}

/** Bytes of a text with n-grams of items, and the largest share of these items. */
export interface MatchedPart {
  startByte: number;
  endByte: number;
  share: number;
}

export interface Match {
  items: readonly MatchedItem[];
  parts: readonly MatchedPart[];
}

/** The items of which the text has at least this share, in their order. */
function itemsIn(hits: readonly Hit[], { itemsOf, counts }: ItemNgrams, minShare: number): MatchedItem[] {
  const ngramsOf = new Map<number, number>();
  for (const number of new Set(hits.map((hit) => hit.number))) {
    for (const item of itemsOf[number - 1] as readonly number[]) ngramsOf.set(item, (ngramsOf.get(item) ?? 0) + 1);
  }
  return [...ngramsOf]
    .map(([item, ngrams]) => ({ item, share: ngrams / (counts[item] as number) }))
    .filter(({ share }) => share >= minShare)
    .sort((one, other) => one.item - other.item);
}

/** Joins parts that overlap or touch. They are in the order of their ends. */
function joined(parts: readonly MatchedPart[]): MatchedPart[] {
  const whole: MatchedPart[] = [];
  for (const part of parts) {
    let { startByte, share } = part;
    for (let last = whole.at(-1); last !== undefined && last.endByte >= startByte; last = whole.at(-1)) {
      startByte = Math.min(startByte, last.startByte);
      share = Math.max(share, last.share);
      whole.pop();
    }
    whole.push({ startByte, endByte: part.endByte, share });
  }
  return whole;
}

/** Returns the items that a text with these n-grams contains, and the parts of the text that match them. */
export function matchOf(hits: readonly Hit[], ngrams: ItemNgrams, minShare: number): Match {
  const items = itemsIn(hits, ngrams, minShare);
  const shares = new Map(items.map(({ item, share }) => [item, share]));
  const parts = hits.flatMap(({ number, startByte, endByte }) => {
    const share = Math.max(
      0,
      ...(ngrams.itemsOf[number - 1] as readonly number[]).map((item) => shares.get(item) ?? 0),
    );
    return share > 0 ? [{ startByte, endByte, share }] : [];
  });
  return { items, parts: joined(parts) };
}

/** The characters on either side of n-grams. */
interface Margins {
  characters: number;
  /** True if they end at the boundaries between texts. */
  hasBoundaries: boolean;
}

/** The parts with this number of characters of the text on either side, as far as there are. */
export function withMargins(
  text: Uint8Array,
  parts: readonly MatchedPart[],
  { characters, hasBoundaries }: Margins,
): MatchedPart[] {
  const isInside = (at: number) => ((text[at] as number) & 0xc0) === 0x80;
  const isBoundary = (at: number) => hasBoundaries && text[at] === TEXT_BOUNDARY;
  const before = (at: number) => {
    let start = at;
    for (let count = characters; count > 0 && start > 0 && !isBoundary(start - 1); count--) {
      do start--;
      while (start > 0 && isInside(start));
    }
    return start;
  };
  const after = (at: number) => {
    let end = at;
    for (let count = characters; count > 0 && end < text.length && !isBoundary(end); count--) {
      do end++;
      while (end < text.length && isInside(end));
    }
    return end;
  };
  const wider = parts.map(({ startByte, endByte, share }) => ({
    ...{ startByte: before(startByte), endByte: after(endByte), share },
  }));
  return joined(wider);
}
