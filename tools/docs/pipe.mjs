// The tables of docs/PIPE.md, from the rows of the frames.

/** Text in a cell of a table. */
function cell(text = '') {
  return text.replaceAll('|', '\\|');
}

/** A row for each kind of frame. */
export function kindTable(rows) {
  return [
    '| kind | number | body of the parent | answer of the child | |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ name, number, body, answer, does }) =>
        `| \`${name}\` | ${number} | ${cell(body)} | ${cell(answer)} | ${cell(does)} |`,
    ),
  ].join('\n');
}

/** A row for each form of keys. */
export function formTable(forms) {
  return [
    '| form | keys |',
    '|---|---|',
    ...Object.values(forms).map(({ number, does }) => `| ${number} | ${cell(does)} |`),
  ].join('\n');
}
