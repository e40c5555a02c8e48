// A report as one HTML page that loads nothing.

import type { Plot, Report, ReportRow, ReportSection } from '../contract.js';
import { type Looks, looksOf } from './looks.js';
import { html, type Markup, trusted } from './markup.js';
import { PAGE_STYLE } from './page.js';
import { plotSvg } from './svg.js';
import {
  byPaper,
  type Column,
  listsOf,
  reportColumns,
  type TextList,
  VERDICT_KINDS,
  verdictsOf,
  verdictText,
} from './table.js';

/** The page's Content-Security-Policy: whatever the page contains, a browser loads and runs nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const LONG_LABEL_CHARACTERS = 40;

/** An HTML document that needs no network and no script, with all texts of the report escaped. */
export function htmlReport(report: Report): string {
  const looks = looksOf(report.sections.flatMap(({ plots }) => plots));
  const papers = byPaper(report.sections).map(
    ({ paper, sections }) =>
      html`${paper === undefined ? [] : html`<h2>${paper}</h2>\n`}${sections.map((section) => sectionMarkup(section, looks))}`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trusted(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${report.title}</title>
<style>${trusted(PAGE_STYLE)}</style>
</head>
<body>
<main>
<h1>${report.title}</h1>
${verdictTable(report)}
${listsOf(report).map(listMarkup)}${papers}
<h2>Measured on</h2>
<p>${report.machine}</p>
${commandMarkup(report.command, 'To repeat everything:')}
</main>
</body>
</html>
`.markup;
}

function kindMarkup(kind: ReportRow['verdict']['kind'], text: string | number = kind): Markup {
  return html`<span class="kind ${kind.replace(' ', '-')}">${text}</span>`;
}

function commandMarkup(command: string, lead: string): Markup {
  return html`<p class="soft">${lead}</p>\n<pre><code>${command}</code></pre>\n`;
}

/** A table that scrolls inside its own box, also with the keyboard. */
function scrolled(label: string, table: Markup): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}">\n${table}</div>\n`;
}

function listMarkup({ head, texts }: TextList): Markup {
  return html`<h2>${head}</h2>\n<ul>\n${texts.map((text) => html`<li>${text}</li>\n`)}</ul>\n`;
}

/** A table for a report about papers. */
function verdictTable(report: Report): Markup | readonly Markup[] {
  const rows = verdictsOf(report).map(({ section, counts }) => {
    const cells = VERDICT_KINDS.map(
      (kind) => html`<td class="number">${counts[kind] === 0 ? '–' : kindMarkup(kind, counts[kind])}</td>`,
    );
    const link = html`<a href="#${section.id}">${section.title}</a>`;
    return html`<tr><th scope="row">${link}</th><td>${section.paper ?? ''}</td>${cells}</tr>\n`;
  });
  if (rows.length === 0) return [];
  const heads = VERDICT_KINDS.map((kind) => html`<th scope="col" class="number">${kindMarkup(kind)}</th>`);
  return scrolled(
    'Verdicts',
    html`<table>
<thead><tr><th scope="col">Table or figure</th><th scope="col">Paper</th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table>
`,
  );
}

function sectionMarkup(section: ReportSection, looks: Looks): Markup {
  return html`<section id="${section.id}">
<h3><a href="#${section.id}">${section.title}</a></h3>
${section.notes.map((note) => html`<p>${note}</p>\n`)}${section.rows.length > 0 ? rowsTable(section) : []}${
  section.plots.length > 0
    ? html`<div class="plots">\n${section.plots.map((plot) => figureMarkup(plot, looks))}</div>\n`
    : []
}${commandMarkup(section.command, 'To repeat this section:')}</section>
`;
}

function figureMarkup(plot: Plot, looks: Looks): Markup {
  return html`<figure id="plot-${plot.id}">
<figcaption>${plot.title}</figcaption>
${trusted(plotSvg(plot, looks))}
</figure>
`;
}

function rowsTable(section: ReportSection): Markup {
  const columns = reportColumns(section);
  return scrolled(
    section.title,
    html`<table>
<thead>
<tr>${groupHeads(columns)}<th rowspan="2" scope="col">verdict</th></tr>
<tr>${columns.filter(({ group }) => group !== '').map(({ head }) => html`<th scope="col" class="number">${head}</th>`)}</tr>
</thead>
<tbody>
${section.rows.map((row) => rowMarkup(row, columns))}</tbody>
</table>
`,
  );
}

/** Headings of the upper row, one for each group of columns. The heading of an ungrouped column spans both rows. */
function groupHeads(columns: readonly Column[]): Markup[] {
  return columns.flatMap(({ group, head, isNumber }, c) => {
    if (group === '') return [html`<th rowspan="2" scope="col" class="${isNumber ? 'number' : 'label'}">${head}</th>`];
    if (columns[c - 1]?.group === group) return [];
    const width = columns.filter((column) => column.group === group).length;
    return [html`<th colspan="${width}" scope="colgroup" class="group">${group}</th>`];
  });
}

/** Long labels get a minimum width. Without it, a table wider than the page would make their column one word wide. */
function labelClass(text: string): string {
  return text.length > LONG_LABEL_CHARACTERS ? 'long' : 'label';
}

/** The verdict's word beside the first label, for pages so narrow that the column of verdicts is not visible. */
function shortVerdict({ verdict: { kind } }: ReportRow): Markup {
  return html`<span class="short" aria-hidden="true">${kindMarkup(kind)}</span>`;
}

function rowMarkup(row: ReportRow, columns: readonly Column[]): Markup {
  const cells = columns.map(({ cellOf, isNumber }, c) => {
    const { text, range } = cellOf(row);
    if (c === 0) return html`<th scope="row">${text}${shortVerdict(row)}</th>`;
    const below = range === undefined ? [] : html`<span class="range">${range}</span>`;
    return html`<td class="${isNumber ? 'number' : labelClass(text)}">${text}${below}</td>`;
  });
  return html`<tr id="row-${row.id}">${cells}<td class="verdict">${kindMarkup(row.verdict.kind)}${verdictText(row.verdict).slice(row.verdict.kind.length)}
<details><summary>parameters and command</summary>${row.parameters}
<pre><code>${row.command}</code></pre></details></td></tr>
`;
}
