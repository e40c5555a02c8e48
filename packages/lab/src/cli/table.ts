// A section of a report in a terminal.

import { table, wrapText } from 'firstseen/internal';
import type { ReportSection } from '../contract.js';
import { type Cell, type Column, reportColumns, verdictText } from '../report/table.js';

const NOTE_WIDTH = 100;

function cellText({ text, range }: Cell): string {
  return range === undefined ? text : `${text} (${range})`;
}

/** The rows with all columns of a report. Verdicts are last, because they are long. */
function rowLines({ rows }: ReportSection, columns: readonly Column[]): string[] {
  const heads = columns.map(({ group, head }) => (group === '' ? head : `${group} ${head}`));
  const leftColumns = columns.filter(({ isNumber }) => !isNumber).length;
  const cells = rows.map((row) => columns.map(({ cellOf }) => cellText(cellOf(row))));
  const lines = table([heads, ...cells], leftColumns);
  const width = Math.max(...lines.map(({ length }) => length));
  const verdicts = ['verdict', ...rows.map(({ verdict }) => verdictText(verdict))];
  return lines.map((line, i) => `${line.padEnd(width)}  ${verdicts[i]}`);
}

export function sectionText(section: ReportSection): string {
  const parameters = [...new Set(section.rows.map((row) => row.parameters).filter((text) => text !== ''))];
  const [first] = section.rows;
  return [
    section.paper === undefined ? section.title : `${section.id}: ${section.paper}, ${section.title}`,
    ...section.notes.flatMap((note) => wrapText(note, NOTE_WIDTH)),
    '',
    ...rowLines(section, reportColumns(section)),
    '',
    ...parameters.map((text) => `with ${text}`),
    ...(first === undefined || first.command === section.command
      ? []
      : ['', 'To repeat a single row, such as the first:', `  ${first.command}`]),
    '',
  ].join('\n');
}
