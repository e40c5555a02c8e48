// A report as Markdown, with its plots as files next to it.

import type { Plot, Report, ReportRow, ReportSection } from '../contract.js';
import { type Looks, looksOf } from './looks.js';
import { plotSvg } from './svg.js';
import { byPaper, type Cell, listsOf, reportColumns, VERDICT_KINDS, verdictsOf, verdictText } from './table.js';

export interface MarkdownReport {
  text: string;
  /** Files for the folder of plots. */
  plots: { name: string; svg: string }[];
}

export interface MarkdownOptions {
  /** The folder of the plots, relative to the document, such as `reproduction`. */
  plotsFolder: string;
}

/** A document in the Markdown of GitHub. */
export function markdownReport(report: Report, { plotsFolder }: MarkdownOptions): MarkdownReport {
  const plots = report.sections.flatMap((section) => section.plots);
  const looks = looksOf(plots);
  const blocks = [
    '<!-- Written by the command at its end. Do not edit. -->',
    `# ${textOf(report.title)}`,
    ...verdictTable(report),
    ...listsOf(report).flatMap(({ head, texts }) => [`## ${textOf(head)}`, listOf(texts)]),
    ...byPaper(report.sections).flatMap(({ paper, sections }) => [
      ...(paper === undefined ? [] : [`## ${textOf(paper)}`]),
      ...sections.flatMap((section) => sectionBlocks(section, plotsFolder)),
    ]),
    '## Measured on',
    paragraphOf(report.machine),
    'To repeat everything:',
    codeBlock(report.command),
  ];
  return { text: `${blocks.join('\n\n')}\n`, plots: plots.map((plot) => plotFile(plot, looks)) };
}

/** Escapes text that is part of a line. An underscore inside a word needs no escape. */
function textOf(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replace(/[\\`*<>[\]|&~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&');
}

/** Escapes a paragraph, also where its first characters would make it a heading or a list. */
function paragraphOf(text: string): string {
  return textOf(text)
    .replace(/^[#+-]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => `- ${paragraphOf(text)}`).join('\n');
}

/** The fence is longer than any sequence of backticks in the code. */
function codeBlock(code: string, language = 'sh'): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

function table(heads: readonly string[], isNumber: readonly boolean[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = isNumber.map((number) => (number ? '---:' : '---'));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** A table for a report about papers. */
function verdictTable(report: Report): string[] {
  const rows = verdictsOf(report).map(({ section, counts }) => [
    `[${textOf(section.title)}](#${section.id})`,
    textOf(section.paper ?? ''),
    ...VERDICT_KINDS.map((kind) => (counts[kind] === 0 ? '–' : String(counts[kind]))),
  ]);
  if (rows.length === 0) return [];
  return [table(['Table or figure', 'Paper', ...VERDICT_KINDS], [false, false, true, true, true], rows)];
}

function sectionBlocks(section: ReportSection, plotsFolder: string): string[] {
  const isFilled = section.rows.length > 0;
  return [
    `<a id="${section.id}"></a>`,
    `### ${textOf(section.title)}`,
    ...section.notes.map(paragraphOf),
    ...(isFilled ? [rowsTable(section)] : []),
    ...section.plots.map(
      (plot) => `**${textOf(plot.title)}**\n\n![${textOf(plot.title)}](${plotsFolder}/${plot.id}.svg)`,
    ),
    'To repeat this section:',
    codeBlock(section.command),
    ...(isFilled ? [rowParameters(section.rows)] : []),
  ];
}

function rowsTable(section: ReportSection): string {
  const columns = reportColumns(section);
  const heads = columns.map(({ group, head }) => textOf(`${group} ${head}`.trim()));
  const rows = section.rows.map((row) => [
    ...columns.map(({ cellOf }) => cellText(cellOf(row))),
    textOf(verdictText(row.verdict)).replace(row.verdict.kind, '**$&**'),
  ]);
  return table([...heads, 'verdict'], [...columns.map(({ isNumber }) => isNumber), false], rows);
}

function cellText({ text, range }: Cell): string {
  return range === undefined ? textOf(text) : `${textOf(text)} (${range})`;
}

/** The names and parameters of the rows, because a command for each of a thousand rows says nothing more. */
function rowParameters(rows: readonly ReportRow[]): string {
  const lines = rows.map(({ id, parameters }) => `${id}: ${parameters}`);
  const summary = 'Parameters of each row, which --row and its name repeat alone';
  return `<details><summary>${summary}</summary>\n\n${codeBlock(lines.join('\n'), 'text')}\n\n</details>`;
}

function plotFile(plot: Plot, looks: Looks): MarkdownReport['plots'][number] {
  return { name: `${plot.id}.svg`, svg: `${plotSvg(plot, looks)}\n` };
}
