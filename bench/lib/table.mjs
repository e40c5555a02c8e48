// One kind of row for everything measured, and the table it is printed in.

/**
 * @typedef {object} Row
 * @property {string} name what was measured
 * @property {number} measured the median
 * @property {string} unit
 * @property {{to: string, value: number} | null} compared the measure that the target is set for; null for a reference
 * @property {{bound: 'least' | 'most', value: number} | null} target
 * @property {boolean | null} isMet
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {string} text what was measured, and over what
 * @property {Row[]} rows
 */

/**
 * @param {Omit<Row, 'compared' | 'target' | 'isMet'> & Partial<Pick<Row, 'compared' | 'target'>>} values
 * @returns {Row}
 */
export function row({ name, measured, unit, compared = null, target = null }) {
  const isJudged = compared !== null && target !== null;
  const isReached =
    isJudged && (target.bound === 'least' ? compared.value >= target.value : compared.value <= target.value);
  return { name, measured, unit, compared, target, isMet: isJudged ? isReached : null };
}

/** Three digits that count. */
function digits(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function rowCells({ name, measured, unit, compared, target, isMet }) {
  return [
    name,
    `${digits(measured)} ${unit}`,
    compared ? `${digits(compared.value)} ${compared.to}` : '',
    target ? `at ${target.bound} ${target.value}` : '',
    isMet === null ? '' : isMet ? 'yes' : 'no',
  ];
}

/** Markdown that lines up as plain text too. */
export function tableText(header, rows) {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/** @param {Section} section */
export function sectionText({ title, text, rows }) {
  const table = tableText(['', 'measured', 'compared', 'target', 'met'], rows.map(rowCells));
  return `### ${title}\n\n${text}\n\n${table}`;
}
