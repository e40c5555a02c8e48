// The rule of lines of prose in Markdown, as pure functions.

const MAX_CHARACTERS = 120;
/** The mark of a page that a command writes. */
const GENERATED_PAGE = /<!-- (?:Written by|.* writes this page)/;
/** What is not prose: tables, headings, images and HTML. */
const OTHER = /^\s*(?:[|#<]|!\[)/;
/** A line that cannot be broken: a mark of a list, and one unit. */
const ONE_UNIT = /^\s*(?:[-*] |\d+\. )?(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S+)$/;

/** The lines between blocks of code and generated parts. */
function proseLines(text) {
  let isCode = false;
  let isGenerated = false;
  return text.split('\n').map((line) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    if (/^<!-- .*:begin/.test(line)) isGenerated = true;
    if (/^<!-- .*:end/.test(line)) isGenerated = false;
    return isCode || isGenerated || OTHER.test(line) ? '' : line;
  });
}

/** The lines of prose that are too long to read beside something else. */
export function proseProblems(text) {
  if (GENERATED_PAGE.test(text)) return [];
  return proseLines(text).flatMap((line, i) => {
    const count = [...line].length;
    if (count <= MAX_CHARACTERS || ONE_UNIT.test(line)) return [];
    return [`line ${i + 1} has ${count} characters; prose has ${MAX_CHARACTERS} at most`];
  });
}
