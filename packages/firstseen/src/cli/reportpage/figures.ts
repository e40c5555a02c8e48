// The parts of the report that show figures: counts by input and folder, similarities, error rates, and what was forgotten.

import { formatCount, formatCounted, formatPercent } from '../../base/count.js';
import { formatBytes } from '../../base/memory.js';
import type {
  ExpectedRecords,
  ForgottenReview,
  InputReview,
  RunReview,
  SimilarityBin,
  SimilarityReview,
} from '../../review/facts.js';
import { InputCounts } from '../../review/inputs.js';
import { type RateFact, recordsOfRate } from '../summary.js';
import { formatRate } from '../text.js';
import type { ReportFacts } from './facts.js';
import { type Html, type HtmlValue, html } from './html.js';
import { shareText } from './records.js';

/** Inputs that are shown one by one. */
const MAX_INPUTS = 200;

interface Column {
  name: string;
  isNumber?: boolean;
  /** True if only readers of the screen need its name. */
  isUnseen?: boolean;
}

/** A table that scrolls on its own when it is wide. */
function table(label: string, columns: readonly Column[], rows: readonly (readonly HtmlValue[])[]): Html {
  const classOf = (i: number) => (columns[i]?.isNumber ? 'number' : 'name');
  const heads = columns.map(({ name, isUnseen }, i) => {
    const head = isUnseen ? html`<span class="unseen">${name}</span>` : name;
    return html`<th scope="col" class="${classOf(i)}">${head}</th>`;
  });
  const lines = rows.map(
    (cells) => html`<tr>${cells.map((cell, i) => html`<td class="${classOf(i)}">${cell}</td>`)}</tr>`,
  );
  return html`<div class="table" role="group" aria-label="${label}" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function strip(share: number): Html {
  return html`<svg class="strip" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${(100 * share).toFixed(2)}" height="8" /></svg>`;
}

function folderOf(name: string): string {
  const end = name.lastIndexOf('/');
  return end < 1 ? '.' : name.slice(0, end);
}

/** The counts of the folders that inputs are in. */
export function byFolder(inputs: readonly InputReview[]): InputReview[] {
  const folders = new InputCounts();
  for (const { name, ...counts } of inputs) folders.add(folderOf(name), counts);
  return folders.review();
}

/** The counts of each input, and the share of them that is shown. */
function inputTable(label: string, inputs: readonly InputReview[], recordName: string): Html {
  const isAcrossKnown = inputs.some(({ droppedAcross }) => droppedAcross !== undefined);
  const isOfTexts = recordName === 'text';
  const columns: Column[] = [
    { name: label },
    { name: `${recordName[0]?.toUpperCase()}${recordName.slice(1)}s`, isNumber: true },
    { name: isOfTexts ? 'Dropped' : 'Duplicates', isNumber: true },
    ...(isOfTexts ? [{ name: 'Characters seen', isNumber: true }] : []),
    { name: 'Share', isNumber: true },
    { name: 'Share as a bar', isUnseen: true },
    ...(isAcrossKnown ? [{ name: 'Of another input', isNumber: true }] : []),
  ];
  const rows = inputs.map(({ name, records, dropped, droppedAcross = 0, characters = 0, seenCharacters = 0 }) => {
    const [part, whole] = isOfTexts ? [seenCharacters, characters] : [dropped, records];
    return [
      ...[name, formatCount(records), formatCount(dropped)],
      ...(isOfTexts ? [formatCount(seenCharacters)] : []),
      ...[shareText(part, whole), whole > 0 && strip(part / whole)],
      ...(isAcrossKnown ? [formatCount(droppedAcross)] : []),
    ];
  });
  return table(label, columns, rows);
}

/** Shows the records of each folder and input by what became of them. */
export function inputsSection({ inputs, recordName }: RunReview): Html {
  const folders = byFolder(inputs);
  const sizeOf = ({ dropped, seenCharacters = dropped }: InputReview) => seenCharacters;
  const shownInputs = [...inputs].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, MAX_INPUTS);
  const hiddenCount = inputs.length - shownInputs.length;
  const note =
    hiddenCount > 0 &&
    html`<p class="note">Those in which most was seen before; ${formatCounted(hiddenCount, 'input')} more are not shown.</p>`;
  const isDivided = folders.length > 1 && folders.length < inputs.length;
  return html`<section class="card" aria-labelledby="inputs"><h2 id="inputs">By source</h2>
${isDivided && inputTable('Folder', folders, recordName)}${note}${inputTable('Input', inputs.length > MAX_INPUTS ? shownInputs : inputs, recordName)}</section>`;
}

const [WIDTH, HEIGHT, BASE, TOP, LEFT] = [760, 210, 180, 12, 44];

/** Counts differ by powers of ten, so that their logarithms are drawn. */
function heightOf(count: number, most: number): number {
  return most === 0 ? 0 : (Math.log10(1 + count) / Math.log10(1 + most)) * (BASE - TOP);
}

function bar(bin: SimilarityBin, kind: 'kept' | 'dropped', most: number): Html | undefined {
  const count = bin[kind];
  if (count === 0) return undefined;
  const width = (WIDTH - LEFT) * (bin.to - bin.from);
  const x = LEFT + (WIDTH - LEFT) * bin.from + (kind === 'kept' ? 3 : width / 2 + 1);
  const height = heightOf(count, most);
  return html`<rect class="${kind}" x="${x.toFixed(1)}" y="${(BASE - height).toFixed(1)}" width="${(width / 2 - 4).toFixed(1)}" height="${height.toFixed(1)}"><title>${formatCount(count)} ${kind === 'kept' ? 'kept' : 'duplicate'}, ${bin.from.toFixed(2)} to ${bin.to.toFixed(2)}</title></rect>`;
}

/** A chart of records by a share from 0 to 1. */
function chart(bins: readonly SimilarityBin[], label: string, threshold?: number): Html {
  const most = Math.max(1, ...bins.flatMap(({ kept, dropped }) => [kept, dropped]));
  const xOf = (similarity: number) => (LEFT + (WIDTH - LEFT) * similarity).toFixed(1);
  const marks = [0, 0.25, 0.5, 0.75, 1].map(
    (mark) =>
      html`<text x="${xOf(mark)}" y="${BASE + 18}" text-anchor="${mark === 1 ? 'end' : mark === 0 ? 'start' : 'middle'}">${mark}</text>`,
  );
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
  const levels = powers.map(
    (count) =>
      html`<text x="${LEFT - 6}" y="${(BASE - heightOf(count, most) + 4).toFixed(1)}" text-anchor="end">${formatCount(count)}</text>`,
  );
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}, as in the table below">
${levels}${marks}<line x1="${LEFT}" x2="${WIDTH}" y1="${BASE}" y2="${BASE}" />${bins.map((bin) => [bar(bin, 'kept', most), bar(bin, 'dropped', most)])}${threshold !== undefined && html`<line class="threshold" x1="${xOf(threshold)}" x2="${xOf(threshold)}" y1="${TOP}" y2="${BASE}" />`}</svg>`;
}

const legend = html`<ul class="legend"><li><span class="swatch distinct"></span>kept</li><li><span class="swatch duplicate"></span>duplicate</li></ul>`;

/** The bins as a table, for those who cannot see the chart. */
function binsTable(bins: readonly SimilarityBin[], label: string, name: string): Html {
  const columns = [{ name }, { name: 'Kept', isNumber: true }, { name: 'Duplicates', isNumber: true }];
  const rows = bins
    .filter(({ kept, dropped }) => kept + dropped > 0)
    .map(({ from, to, kept, dropped }) => [
      `${from.toFixed(2)} to ${to.toFixed(2)}`,
      ...[formatCount(kept), formatCount(dropped)],
    ]);
  return html`<details><summary>Table</summary>${table(label, columns, rows)}</details>`;
}

/** Documents by their similarity to the nearest kept one. */
export function similaritySection({ similarities }: RunReview): Html | undefined {
  if (similarities === undefined) return undefined;
  const { threshold, bins, withoutCandidate } = similarities;
  const label = 'Documents by similarity';
  return html`<section class="card" aria-labelledby="similarity"><h2 id="similarity">By similarity</h2>
<p class="note">The estimated similarity of each document to the nearest remembered one with which it has a band in common. The dashed line is the threshold, ${threshold}; heights are logarithms. ${formatCounted(withoutCandidate, 'document')} had no band in common with a remembered one, and were kept.</p>
${legend}${chart(bins, label, threshold)}${binsTable(bins, label, 'Similarity')}</section>`;
}

/** Texts by the share of their characters that was seen. */
export function seenSection({ texts }: RunReview): Html | undefined {
  if (texts === undefined) return undefined;
  const { bins, withoutSeen, characters, seenCharacters } = texts;
  const label = 'Texts by the share that was seen';
  const share = characters === 0 ? '' : ` (${formatPercent(seenCharacters / characters)})`;
  return html`<section class="card" aria-labelledby="seen"><h2 id="seen">By the share that was seen</h2>
<p class="note">${formatCount(seenCharacters)} of ${formatCounted(characters, 'character')}${share} are in passages that were seen before. The chart has the share of each text with such a passage; heights are logarithms. ${formatCounted(withoutSeen, 'text')} had none.</p>
${legend}${chart(bins, label)}${binsTable(bins, label, 'Share')}</section>`;
}

/** A whole number of records, or one with a digit if there are few. */
function few(count: number): string {
  return count < 10 ? String(Number(count.toFixed(1))) : formatCount(count);
}

function expectedRow(name: string, { expected, low, high, of }: ExpectedRecords, basis: string): HtmlValue[] {
  const rate = formatRate(
    of === 0 ? { estimate: null, low: 0, high: 1 } : { estimate: expected / of, low: low / of, high: high / of },
  );
  const records = of === 0 ? '' : `${few(low)} to ${few(high)} of ${formatCount(of)}`;
  return [name, rate, records, basis];
}

function rateRow(fact: RateFact): HtmlValue[] {
  return [fact.name, formatRate(fact.rate), recordsOfRate(fact), 'measured by the witness (docs/WITNESS.md)'];
}

function expectedRows({ wronglyDropped, wronglyKept, foundAtThreshold, threshold }: SimilarityReview): HtmlValue[][] {
  const basis = 'expected from the standard error of each estimate';
  return [
    expectedRow(`duplicates less similar than ${threshold}`, wronglyDropped, basis),
    expectedRow(`kept, but as similar as ${threshold} to a candidate`, wronglyKept, basis),
    [
      `of similarity ${threshold}, but without a band in common`,
      ...[formatPercent(1 - foundAtThreshold), '', 'by the number of bands; less for more similar documents'],
    ],
  ];
}

/** The error rates with their intervals, as shares and as numbers of records. */
export function ratesSection({ rates, review, isExact }: Pick<ReportFacts, 'rates' | 'review' | 'isExact'>): Html {
  const rows = [...rates.map(rateRow), ...(review?.similarities ? expectedRows(review.similarities) : [])];
  const columns = [
    { name: 'Error' },
    { name: 'Rate, with its 95 % interval' },
    { name: 'Records' },
    { name: 'Known from' },
  ];
  const none = isExact ? 'The answers are exact: there are no errors.' : 'No error rate is known of this run.';
  return html`<section class="card" aria-labelledby="rates"><h2 id="rates">Error rates</h2>${rows.length === 0 ? html`<p class="empty">${none}</p>` : table('Error rates', columns, rows)}</section>`;
}

function forgottenText({ added, remembered, forgotten, memoryBytes }: ForgottenReview): string {
  const memory = formatBytes(memoryBytes);
  if (forgotten === 0)
    return `Nothing: ${formatCounted(added, 'document')} were added, and ${memory} hold all of them.`;
  return `${formatCount(forgotten)} of ${formatCounted(added, 'document')} that were added: ${memory} hold the last ${formatCount(remembered)} documents. What is near an older one was kept.`;
}

/** Shows what was forgotten, of jobs that know it apart from the witness. */
export function forgottenSection({ forgotten }: RunReview): Html | undefined {
  if (forgotten === undefined) return undefined;
  return html`<section class="card" aria-labelledby="forgotten"><h2 id="forgotten">Forgotten</h2><p>${forgottenText(forgotten)}</p></section>`;
}
