// The report of a run as a page of HTML: one file that requests nothing, has no scripts, and follows the color scheme of the reader.

import { formatCount, formatCounted, formatPercent } from '../../base/count.js';
import { formatDuration } from '../../base/duration.js';
import { formatBytes } from '../../base/memory.js';
import type { RunReview } from '../../review/facts.js';
import type { LogEntry } from '../exit.js';
import type { ReportCounts, ReportFacts } from './facts.js';
import { forgottenSection, inputsSection, ratesSection, seenSection, similaritySection } from './figures.js';
import { Html, html } from './html.js';
import { clustersSection, pairsSection, textsSection } from './records.js';

/** Nothing is loaded from elsewhere, and nothing runs, whatever a record contains. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The share of wrongly dropped documents from which on the report says how to have fewer. */
const TOLD_WRONG_SHARE = 0.01;

interface Tile {
  name: string;
  figure: string;
  note?: string;
  tone?: 'bad' | 'warn' | undefined;
}

function tile({ name, figure, note, tone = undefined }: Tile): Html {
  const toned = tone ? html` data-tone="${tone}"` : '';
  return html`<div class="card tile"${toned}><dt>${name}</dt><dd class="figure">${figure}</dd>${note !== undefined && html`<dd class="note">${note}</dd>`}</div>`;
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? '' : `${formatPercent(part / whole)} of all`;
}

function tiles(counts: ReportCounts, review: RunReview | undefined): Html {
  const { records, distinct, duplicates, passed, dropped, seconds, memoryBytes } = counts;
  const { recordName = 'record', forgotten } = review ?? {};
  const isForgetting = forgotten?.sufficientBytes !== undefined;
  const all: Tile[] = [
    { name: `${recordName[0]?.toUpperCase()}${recordName.slice(1)}s`, figure: formatCount(records) },
    { name: 'Distinct', figure: formatCount(distinct), note: shareOf(distinct, records) },
    { name: 'Duplicates', figure: formatCount(duplicates), note: shareOf(duplicates, records) },
    ...(passed > 0 ? [{ name: 'Passed unchecked', figure: formatCount(passed), tone: 'warn' as const }] : []),
    ...(dropped > 0 ? [{ name: 'Dropped unchecked', figure: formatCount(dropped), tone: 'warn' as const }] : []),
    ...(forgotten
      ? [
          {
            name: 'Forgotten',
            figure: formatCount(forgotten.forgotten),
            tone: isForgetting ? ('warn' as const) : undefined,
          },
        ]
      : []),
    { name: 'Memory', figure: formatBytes(memoryBytes) },
    { name: 'Time', figure: formatDuration(Math.max(1, Math.round(seconds))) },
  ];
  return html`<dl class="tiles">${all.map(tile)}</dl>`;
}

function messageOf({ level, code, message }: LogEntry): Html {
  const tones = { error: 'bad', warning: 'warn', info: 'info' } as const;
  const names = { error: 'Error', warning: 'Warning', info: 'Note' } as const;
  return html`<li data-tone="${tones[level]}"><span class="tone">${names[level]}:</span> ${message} <span class="note">${level === 'info' ? '' : code}</span></li>`;
}

function attentionSection(messages: readonly LogEntry[]): Html {
  const list =
    messages.length === 0
      ? html`<p class="note">The run had no warning.</p>`
      : html`<ul class="attention">${messages.map(messageOf)}</ul>`;
  return html`<section class="card" aria-labelledby="attention"><h2 id="attention">What needs attention</h2>${list}</section>`;
}

/** Advises how the answers of the next run become better. A warning that documents were forgotten says the memory itself. */
function advice({ review, messages }: ReportFacts): string[] {
  const { forgotten, similarities } = review ?? {};
  const remedies = messages.map(({ remedy }) => remedy).filter((remedy) => remedy !== undefined);
  const { expected = 0, of = 0 } = similarities?.wronglyDropped ?? {};
  return [
    ...remedies.map((remedy) => `${remedy[0]?.toUpperCase()}${remedy.slice(1)}.`),
    ...(forgotten?.sufficientBytes === undefined || messages.some(({ code }) => code === 'E_MISSED')
      ? []
      : [`With --memory ${formatBytes(forgotten.sufficientBytes)}, this run would have remembered all documents.`]),
    ...(expected > TOLD_WRONG_SHARE * of
      ? [
          'With --confidence 1, only documents whose estimated similarity exceeds the threshold by its standard error are duplicates: fewer are dropped wrongly, and more are kept wrongly. A larger --sketch-bytes makes the error smaller, and the table remembers fewer documents.',
        ]
      : []),
  ];
}

function adviceSection(facts: ReportFacts): Html {
  const lines = [...new Set(advice(facts))];
  const list =
    lines.length === 0
      ? html`<p class="note">Nothing that this run noticed would be better with other options.</p>`
      : html`<ul class="attention">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
  return html`<section class="card" aria-labelledby="better"><h2 id="better">How to do better</h2>${list}</section>`;
}

function summarySection(summary: ReportFacts['summary']): Html {
  const facts = summary.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`);
  return html`<section class="card" aria-labelledby="summary"><h2 id="summary">Summary and settings</h2><dl class="facts">${facts}</dl></section>`;
}

/** Tells the result in a sentence. */
function foundText({ records, duplicates }: ReportCounts, review: RunReview | undefined): string {
  const { recordName = 'record', texts } = review ?? {};
  if (texts !== undefined) {
    const { characters, seenCharacters } = texts;
    const seen = formatPercent(characters === 0 ? 0 : seenCharacters / characters);
    return `${seen} of the characters of ${formatCounted(records, 'text')} are in passages that were seen before. ${formatCount(duplicates)} of the texts were dropped.`;
  }
  const share = records === 0 ? '' : ` (${formatPercent(duplicates / records)})`;
  return `${formatCount(duplicates)} of ${formatCounted(records, recordName)}${share} are duplicates of earlier ones.`;
}

/** Tells how the run ended, in some sentences. */
function leadOf({ counts, review }: ReportFacts): string {
  if (counts === undefined) return 'The run did not begin.';
  const { interrupted, resumed, error } = counts;
  const sentences = [
    foundText(counts, review),
    ...(error === null ? [] : [`The run failed with ${error}: the report covers what was read before.`]),
    ...(interrupted
      ? ['The run was stopped before the end of its input: the report covers what was read before.']
      : []),
    ...(resumed ? ['The run continued an earlier one: the report covers only what it did itself.'] : []),
  ];
  return sentences.join(' ');
}

function sections(facts: ReportFacts): Html {
  const { counts, messages, summary } = facts;
  const review = counts && facts.review;
  return html`${counts && tiles(counts, review)}
${attentionSection(messages)}
${counts && ratesSection(facts)}
${review && forgottenSection(review)}
${counts && adviceSection(facts)}
${review && inputsSection(review)}
${review && similaritySection(review)}
${review && seenSection(review)}
${review && clustersSection(review)}
${review && textsSection(review)}
${review && pairsSection(review)}
${counts && summarySection(summary)}`;
}

/** The page. Its style and its icon are as they are given; all other texts are escaped. */
export function reportHtml(facts: ReportFacts): string {
  const { command, version, endedAt, style, icon } = facts;
  const iconAddress = `data:image/svg+xml,${encodeURIComponent(icon)}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${POLICY}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>Report of ${command}</title>
<link rel="icon" href="${iconAddress}" type="image/svg+xml" />
<style>${new Html(style)}</style>
</head>
<body>
<header class="bar"><span class="brand"><img src="${iconAddress}" alt="" width="24" height="24" /> firstseen</span><p class="version">${version}</p></header>
<main>
<h1>Report of ${command}</h1>
<p class="lead">${leadOf(facts)} <span class="note">${endedAt}</span></p>
${sections(facts)}
</main>
</body>
</html>
`.markup;
}
