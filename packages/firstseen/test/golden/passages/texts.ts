/** A text of up to five paragraphs, drawn from 40 by a linear congruence. */
export function textOf(i: number): string {
  let state = i;
  const next = (count: number) => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * count);
  };
  const paragraph = (number: number) =>
    Array.from({ length: 1 + (number % 9) }, (_, word) => `w${number * word} é`).join(' ');
  return Array.from({ length: 1 + next(5) }, () => paragraph(next(40))).join('\n');
}
