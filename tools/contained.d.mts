export const NOBODY: number;

export function canContain(): boolean;

export function containedWords(
  place: { folder: string; readOnly: string; shown?: readonly [string, string] },
  program: readonly string[],
): [string, ...string[]];
