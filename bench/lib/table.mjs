// The row of a measurement, and the table in which it is printed.

/**
 * @typedef {object} Row
 * @property {string} name what was measured
 * @property {number} measured the median
 * @property {string} unit
 * @property {{to: string, value: number} | null} compared the measure to which the target applies; null for a reference
 * @property {{bound: 'least' | 'most', value: number} | null} target
 * @property {boolean | null} isMet
 * @property {Record<string, number>} beside other measurements, by the title of their column; those of the first row in a whole section; a row may have none of them
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {string} text what was measured, and on what data
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

/** Three significant digits. */
function digits(value) {
  if (value === 0) return '0';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function rowCells({ name, measured, unit, compared, target, isMet, beside }, columns) {
  return [
    name,
    `${digits(measured)} ${unit}`,
    compared ? `${digits(compared.value)} ${compared.to}` : '',
    target ? `at ${target.bound} ${target.value}` : '',
    isMet === null ? '' : isMet ? 'yes' : 'no',
    ...columns.map((column) => (column in beside ? digits(beside[column]) : '')),
  ];
}

/** Markdown that is also aligned as plain text. */
export function tableText(header, rows) {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/**
 * @param {Section} section
 * @param {string} machine the machine of the measurement
 */
export function sectionText({ title, text, rows }, machine) {
  const head = `### ${title}\n\n${text} ${machine}.`;
  if (rows.length === 0) return head;
  const columns = Object.keys(rows[0].beside);
  const header = ['', 'measured', 'compared', 'target', 'met', ...columns];
  const cells = rows.map((one) => rowCells(one, columns));
  const isUsed = (_title, column) => column === 0 || cells.some((texts) => texts[column] !== '');
  const usedOf = (texts) => texts.filter(isUsed);
  const table = tableText(usedOf(header), cells.map(usedOf));
  return `${head}\n\n${table}`;
}
