// Files of records to deduplicate, generated from a seed.

import { closeSync, openSync, writeSync } from 'node:fs';
import { generator, repeatingNumbers } from '../../tools/support/random.mjs';

export const DUPLICATE_SHARE = 0.6;
const SEED = 20120326;
const WRITE_CHARACTERS = 2 ** 20;

/** Two words of hexadecimal digits that scatter consecutive numbers, so that no file is sorted. */
function scattered(number) {
  const next = generator(number);
  return [next(), next()].map((word) => word.toString(16).padStart(8, '0'));
}

/** A URL of 46 to 50 bytes. */
export function url(number) {
  const [first, second] = scattered(number);
  return `https://www.example.com/${first}/${second.slice(0, 4)}/${number % 100000}.html`;
}

/** The fields of an event; the key, `id`, is in the middle. */
function eventFields(number) {
  const [first, second] = scattered(number);
  const moment = new Date(Date.UTC(2012, 2, 26) + number * 37).toISOString();
  return {
    time: moment,
    level: number % 7 === 0 ? 'warning' : 'information',
    host: `web-${number % 40}.example.com`,
    id: `${first}-${second}`,
    path: `/shop/article/${number % 100000}`,
    status: number % 11 === 0 ? 404 : 200,
    tags: [first.slice(0, 3), second.slice(0, 3)],
    agent: 'Mozilla/5.0 (X11)',
  };
}

/** A JSON object of about 200 bytes. */
export function jsonEvent(number) {
  return JSON.stringify(eventFields(number));
}

export const csvHeader = 'time,level,host,id,path,status,agent,tags,note\n';

/** A row of about 200 bytes; its last field is quoted. */
export function csvEvent(number) {
  const { tags, ...fields } = eventFields(number);
  const note = `"delivered by the load balancer, then ""again"" after ${number % 1000} milliseconds"`;
  return [...Object.values(fields), tags.join(' '), note].join(',');
}

/**
 * Writes `count` lines, of which a share of DUPLICATE_SHARE repeats an earlier one byte for byte; `near` as for
 * `repeatingNumbers`.
 * @param {string} path
 * @param {{
 *   count: number, line: (number: number) => string, header?: string, near?: {share: number, elements: number}
 * }} options
 * @returns {Uint8Array} 1 for each line that repeats an earlier one, 0 for the others
 */
export function writeRepeatingLines(path, { count, line, header = '', near }) {
  const file = openSync(path, 'w');
  const truths = new Uint8Array(count);
  let text = header;
  let distinct = 0;
  let i = 0;
  for (const number of repeatingNumbers({ count, duplicateShare: DUPLICATE_SHARE, seed: SEED, near })) {
    if (number === distinct) distinct++;
    else truths[i] = 1;
    i++;
    text += `${line(number)}\n`;
    if (text.length >= WRITE_CHARACTERS) {
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  closeSync(file);
  return truths;
}
