// The parts of the report that show records: the largest clusters, and pairs with what differs marked.

import { formatCount, formatCounted, formatPercent } from '../../base/count.js';
import type {
  ClustersReview,
  Excerpt,
  PairsReview,
  ReviewedPair,
  ReviewedPart,
  ReviewedRecord,
  ReviewedText,
  RunReview,
} from '../../review/facts.js';
import { differencesOf, type TextPart } from './differences.js';
import { type Html, html } from './html.js';

/** Equal text that is longer than this is shortened to its beginning and its end, in characters. */
const LONGEST_EQUAL = 700;
const SHOWN_EQUAL = 250;

function placeOf({ name, input, number, isAbsent }: ReviewedRecord, recordName: string): Html {
  if (isAbsent) {
    return html`<span class="left-out">none in this run: the first record of the key was dropped by mistake, or an earlier run has seen it</span>`;
  }
  if (input === undefined) return html`<span class="left-out">from before this run, or no longer held</span>`;
  const numbered = number === undefined ? 'number no longer held' : `${recordName} ${formatCount(number)}`;
  const place = html`${input}, ${numbered}`;
  return name === undefined ? place : html`<strong>${name}</strong> (${place})`;
}

function cutNote({ text, bytes, isCut }: Excerpt): Html | undefined {
  if (!isCut) return undefined;
  return html`<span class="left-out"> … the first ${formatCounted(text.length, 'character')} of ${formatCounted(bytes, 'byte')}</span>`;
}

function excerptOf(excerpt: Excerpt | undefined): Html {
  if (excerpt === undefined) return html`<span class="left-out">its text is not held</span>`;
  return html`${excerpt.text}${cutNote(excerpt)}`;
}

function equalText(text: string): Html {
  const leftOut = text.length - 2 * SHOWN_EQUAL;
  if (text.length <= LONGEST_EQUAL) return html`${text}`;
  const note = html`<span class="left-out"> … ${formatCounted(leftOut, 'equal character')} … </span>`;
  return html`${text.slice(0, SHOWN_EQUAL)}${note}${text.slice(-SHOWN_EQUAL)}`;
}

function partOf({ kind, text }: TextPart): Html {
  if (kind === 'both') return equalText(text);
  return kind === 'first' ? html`<del>${text}</del>` : html`<ins>${text}</ins>`;
}

/** Both texts in one, with what only one of them has. */
function comparison(kept: Excerpt, dropped: Excerpt): Html {
  const isCut = kept.isCut || dropped.isCut;
  const note = html`<p class="note">Only the beginnings are held: ${formatCounted(kept.text.length, 'character')} of ${formatCounted(kept.bytes, 'byte')}, and ${formatCounted(dropped.text.length, 'character')} of ${formatCounted(dropped.bytes, 'byte')}.</p>`;
  const isEqual = kept.text === dropped.text;
  const equal = html`<p class="note">${isCut ? 'What is held of both is equal.' : 'Both texts are equal.'}</p>`;
  const parts = differencesOf(kept.text, dropped.text).map(partOf);
  return html`${isCut && note}${isEqual && equal}<pre class="text" tabindex="0">${parts}</pre>`;
}

function textsOf({ kept, dropped }: ReviewedPair): Html {
  if (kept.excerpt && dropped.excerpt) return comparison(kept.excerpt, dropped.excerpt);
  return html`<p class="note">The text of the kept one is not held, so nothing is marked in the duplicate.</p><pre class="text" tabindex="0">${excerptOf(dropped.excerpt)}</pre>`;
}

function similarityOf({ similarity, standardError = 0 }: ReviewedPair): string {
  if (similarity === undefined) return '';
  const error = standardError > 0 ? ` ± ${standardError.toFixed(3)}` : '';
  return `, similarity ${similarity.toFixed(3)}${error}`;
}

function pairOf(pair: ReviewedPair, number: number, recordName: string): Html {
  const { kept, dropped, droppedCount = 0 } = pair;
  const more = droppedCount > 1 ? `, one of ${formatCount(droppedCount)} duplicates of it` : '';
  return html`<article class="pair"><h3>Pair ${number}${similarityOf(pair)}${more}</h3>
<p class="note">Kept: ${placeOf(kept, recordName)}</p><p class="note">Duplicate: ${placeOf(dropped, recordName)}</p>${textsOf(pair)}</article>`;
}

function drawnFrom({ pairs, keptShare, withoutKept }: PairsReview, recordName: string): string {
  const from =
    keptShare === 1
      ? `all kept ${recordName}s of this run that have a duplicate`
      : `a random sample of 1 in ${formatCount(1 / keptShare)} of the kept ${recordName}s of this run, each as likely as any other`;
  const pairCount = pairs.length - withoutKept;
  const sentences = [
    ...(pairCount > 0
      ? [`${formatCounted(pairCount, 'pair')} drawn from ${from}, with a duplicate of each drawn at random.`]
      : []),
    ...(withoutKept > 0
      ? [`${formatCounted(withoutKept, `duplicate`)} drawn from those whose kept ${recordName} is not in the sample.`]
      : []),
  ];
  return sentences.join(' ');
}

function seenPart({ text, isSeen }: ReviewedPart): Html {
  return isSeen ? html`<ins>${text}</ins>` : equalText(text);
}

function textOf({ record, parts, characters, seenCharacters, seenPassages, isDropped }: ReviewedText, number: number) {
  const seen = `${formatCounted(seenPassages, 'passage')} seen, ${formatCount(seenCharacters)} of ${formatCounted(characters, 'character')}`;
  const fate = isDropped ? '; its record is a duplicate' : '';
  const note = parts === undefined && html`<p class="note">The record, in which it is not marked what was seen.</p>`;
  const body = parts === undefined ? excerptOf(record.excerpt) : parts.map(seenPart);
  return html`<article class="pair"><h3>Text ${number}: ${seen}${fate}</h3><p class="note">${placeOf(record, 'record')}</p>${note}<pre class="text" tabindex="0">${body}</pre></article>`;
}

/** Texts with the passages that were seen. */
export function textsSection({ texts: review }: RunReview): Html | undefined {
  if (review === undefined) return undefined;
  const { texts } = review;
  const drawn = html`<p class="note">${formatCounted(texts.length, 'text')} drawn at random from those with a passage that was seen, each as likely as any other. <ins>What was seen before</ins> is marked in up to 16,384 characters of each.</p>`;
  const body =
    texts.length === 0
      ? html`<p class="empty">No passage was seen before.</p>`
      : html`${drawn}${texts.map((text, i) => textOf(text, i + 1))}`;
  return html`<section class="card" aria-labelledby="texts"><h2 id="texts">Sampled texts</h2>${body}</section>`;
}

/** Pairs of a kept and a dropped record. */
export function pairsSection({ pairs: review, recordName }: RunReview): Html | undefined {
  if (review === undefined) return undefined;
  const { pairs } = review;
  const legend = html`<p class="note"><del>only in the kept one</del> <ins>only in the duplicate</ins></p>`;
  const pairTexts = pairs.map((pair, i) => pairOf(pair, i + 1, recordName));
  const body =
    pairs.length === 0
      ? html`<p class="empty">No duplicate was found.</p>`
      : html`<p class="note">${drawnFrom(review, recordName)}</p>${legend}${pairTexts}`;
  return html`<section class="card" aria-labelledby="pairs"><h2 id="pairs">Sampled pairs</h2>${body}</section>`;
}

function exactness({ errorRecords, capacity }: ClustersReview): string {
  if (errorRecords === 0) return 'The counts are exact.';
  const few = formatCount(errorRecords);
  return `They are counted in a table of ${formatCount(capacity)} clusters: each count may be up to ${few} too low, and no cluster that is missing here has more than ${few}.`;
}

/** The largest clusters: a kept record with its duplicates. */
export function clustersSection({ clusters: review, recordName }: RunReview): Html | undefined {
  // Passages of texts have no first member that was kept.
  if (recordName === 'text') return undefined;
  const heading = html`<h2 id="clusters">Largest clusters</h2>`;
  if (review === undefined) {
    const explanation = 'This run does not record which record each duplicate repeats, so it cannot show clusters.';
    return html`<section class="card" aria-labelledby="clusters">${heading}<p class="empty">${explanation}</p></section>`;
  }
  const { clusters, errorRecords } = review;
  const rows = clusters.map(
    ({ leastDropped, first, member }) =>
      html`<tr><td class="number">${errorRecords > 0 && 'at least '}${formatCount(leastDropped)}</td><td class="name">${first.excerpt ? excerptOf(first.excerpt) : html`<span class="left-out">${first.isAbsent ? 'No first was kept. One of the duplicates:' : 'The text of the first is no longer held. One of its duplicates:'}</span> ${excerptOf(member.excerpt)}`}<br /><span class="note">${placeOf(first, recordName)}</span></td></tr>`,
  );
  const table = html`<div class="table" role="group" aria-label="Largest clusters" tabindex="0"><table><thead><tr><th scope="col" class="number">Duplicates</th><th scope="col">First member, which was kept</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<section class="card" aria-labelledby="clusters">${heading}<p class="note">A cluster is a kept ${recordName} with all its duplicates. ${exactness(review)}</p>${clusters.length === 0 ? html`<p class="empty">No duplicate was found.</p>` : table}</section>`;
}

/** A share in words, for a column of them. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '' : formatPercent(part / whole);
}
