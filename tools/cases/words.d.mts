export function quoted(word: string): string;
export function wordsOf(line: string): string[];
