// The words of a command line as a shell quotes them, without its other abilities: what a shell would expand has to be quoted.

const BARE = /^[\w@%+=:,./-]+$/;
const WORD = /'([^']*)'|"((?:[^"\\$`]|\\["\\$`])*)"|([\w@%+=:,./-]+)/y;

function refuse(text) {
  throw new Error(`${text} begins with no word; put what a shell would change in quotes`);
}

/** A word, in quotes where a shell needs them. */
export function quoted(word) {
  if (BARE.test(word)) return word;
  return word.includes("'") ? `"${word.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${word}'`;
}

/**
 * The words of a line.
 * @throws Error when a part of it is neither a word nor in quotes
 */
export function wordsOf(line) {
  const words = [];
  let at = 0;
  while (at < line.length) {
    const blanks = /^ */.exec(line.slice(at))[0].length;
    if (words.length > 0 && blanks === 0) refuse(line.slice(at));
    const { word, length } = firstWord(line.slice(at + blanks));
    words.push(word);
    at += blanks + length;
  }
  return words;
}

/** The word at the start of a text: parts in quotes and without follow each other, as in `--key='a b'`. */
function firstWord(text) {
  const parts = [];
  WORD.lastIndex = 0;
  let length = 0;
  for (let found = WORD.exec(text); found; found = WORD.exec(text)) {
    const [, single, double, bare] = found;
    parts.push(single ?? double?.replaceAll(/\\(.)/g, '$1') ?? bare);
    length = WORD.lastIndex;
  }
  if (parts.length === 0) refuse(text);
  return { word: parts.join(''), length };
}
