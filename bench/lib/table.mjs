// One kind of row for everything measured, and the table it is printed in.

/**
 * @typedef {object} Row
 * @property {string} name what was measured
 * @property {number} measured the median
 * @property {string} unit
 * @property {{to: string, value: number} | null} compared the measure that the target is set for; null for a reference
 * @property {{bound: 'least' | 'most', value: number} | null} target
 * @property {boolean | null} isMet
 * @property {Record<string, number>} beside what else was measured, by the title of its column; the same for a whole section
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {string} text what was measured, and over what
 * @property {Row[]} rows
 */

/**
 * @param {Omit<Row, 'compared' | 'target' | 'isMet' | 'beside'> & Partial<Pick<Row, 'compared' | 'target' | 'beside'>>} values
 * @returns {Row}
 */
export function row({ name, measured, unit, compared = null, target = null, beside = {} }) {
  const isJudged = compared !== null && target !== null;
  const isReached =
    isJudged && (target.bound === 'least' ? compared.value >= target.value : compared.value <= target.value);
  return { name, measured, unit, compared, target, isMet: isJudged ? isReached : null, beside };
}

/** Three digits that count. */
function digits(value) {
  if (value === 0) return '0';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function rowCells({ name, measured, unit, compared, target, isMet, beside }) {
  return [
    name,
    `${digits(measured)} ${unit}`,
    compared ? `${digits(compared.value)} ${compared.to}` : '',
    target ? `at ${target.bound} ${target.value}` : '',
    isMet === null ? '' : isMet ? 'yes' : 'no',
    ...Object.values(beside).map(digits),
  ];
}

/** Markdown that lines up as plain text too. */
export function tableText(header, rows) {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/**
 * @param {Section} section
 * @param {string} machine what it was measured on
 */
export function sectionText({ title, text, rows }, machine) {
  const header = ['', 'measured', 'compared', 'target', 'met', ...Object.keys(rows[0].beside)];
  const cells = rows.map(rowCells);
  const isUsed = (_title, column) => column === 0 || cells.some((texts) => texts[column] !== '');
  const usedOf = (texts) => texts.filter(isUsed);
  const table = tableText(usedOf(header), cells.map(usedOf));
  return `### ${title}\n\n${text} ${machine}.\n\n${table}`;
}
