// Warnings of a run over documents: most are shorter than a shingle, or share text with others, a table that forgets nothing is past its
// capacity, and a table of sketches has forgotten documents.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FirstseenError } from '../../../../src/base/errors.js';
import { isMostly } from '../../../../src/jobs/near/boilerplate.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import type { NearOptions } from '../../../../src/near/settings.js';
import { drawWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'firstseen-near-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Lines of this many words. */
function lines(count: number, words: number): string[] {
  const random = new Random(3);
  return Array.from({ length: count }, (_, i) => [`first${i}`, ...drawWords(words - 1, random)].join(' '));
}

async function warningsOver(documents: readonly string[], near: NearOptions, rest = {}): Promise<FirstseenError[]> {
  const input = join(folder, 'in.txt');
  await writeFile(input, documents.map((document) => `${document}\n`).join(''));
  const warnings: FirstseenError[] = [];
  const onWarning = (warning: FirstseenError) => void warnings.push(warning);
  const output = join(folder, 'out.txt');
  await runDocuments({
    inputs: [input],
    output,
    format: 'lines',
    near: { memory: '2MiB', ...near },
    onWarning,
    ...rest,
  });
  return warnings;
}

const short = {
  code: 'E_PARAMETER',
  option: 'shingle',
  message: expect.stringMatching(/at most one shingle, so only equal ones are near; give a shorter one/),
};
const full = { code: 'E_OVERLOAD', option: 'memory', message: expect.stringMatching(/the table is past its capacity/) };

const forgottenIn = (memory: string, held: number) => ({
  code: 'E_MISSED',
  option: 'memory',
  message: expect.stringMatching(
    `^${1000 - held} of 1,000 documents that were added are forgotten: ${memory} holds the last ${held}, .*; give memory 594KiB or more`,
  ),
});

test.each<[string, string[], NearOptions, object[]]>([
  ['short documents', lines(2000, 4), {}, [short]],
  ['as many as are looked at when the run ends', lines(100, 5), {}, [short]],
  ['fewer than that', lines(99, 5), {}, []],
  ['most of them are short', [...lines(60, 5), ...lines(59, 9)], {}, [short]],
  ['half of them are long', [...lines(60, 5), ...lines(60, 9)], {}, []],
  ['shorter shingles', lines(2000, 4), { shingle: '2w' }, []],
  ['characters', lines(200, 4), { shingle: '200c' }, [short]],
  ['bits', Array.from({ length: 200 }, (_, i) => String(1000 + i)), { lsh: 'bits', documentBytes: 4 }, []],
])('%s', async (_, documents, options, expected) => {
  expect(await warningsOver(documents, options)).toEqual(expected.map((one) => expect.objectContaining(one)));
});

test('short documents are found on several threads too', async () => {
  expect(await warningsOver(lines(3000, 4), {}, { threads: 3 })).toEqual([expect.objectContaining(short)]);
});

test.each<[NearOptions, object[]]>([
  [{ algorithm: 'bloom', memory: '4KiB' }, [full]],
  [{ algorithm: 'bloom', memory: '64KiB' }, []],
  [{ memory: '4KiB' }, [forgottenIn('4KiB', 6)]],
  [{ verify: true, memory: '16KiB' }, [forgottenIn('16KiB', 27)]],
  [{ verify: true, memory: '594KiB' }, []],
  [{ window: 100, memory: '64KiB' }, []],
])('a table of %j that takes 1,000 documents', async (options, expected) => {
  const warnings = await warningsOver(lines(1000, 9), options);
  expect(warnings).toEqual(expected.map((one) => expect.objectContaining(one)));
});

const passed = {
  code: 'E_MISSED',
  option: 'memory',
  message: expect.stringMatching(
    /^\d+(\.\d+)? % of the repeats passed, because .*: 4KiB cannot .*; give memory \d+KiB or more, or window/,
  ),
};

test.each<[NearOptions, object, object[]]>([
  [{ memory: '4KiB' }, {}, [passed]],
  [{ memory: '4KiB' }, { threads: 2 }, [passed]],
  [{ memory: '4KiB', bands: '8x4', agreeing: 2 }, {}, [passed]],
  [{ memory: '1MiB' }, {}, []],
])('a table of bands of %j with %j that takes 1,000 documents twice', async (options, rest, expected) => {
  const once = lines(1000, 9);
  const warnings = await warningsOver([...once, ...once], { verify: false, ...options }, rest);
  expect(warnings).toEqual(expected.map((one) => expect.objectContaining(one)));
});

/** Documents of 30 words of their own, of which the given share have a menu of 30 words too. Two pages with it have a similarity of 0.3. */
function pages(count: number, share: number, seed = 7): string[] {
  const random = new Random(seed);
  const menu = Array.from({ length: 30 }, (_, i) => `menu${i}`).join(' ');
  return Array.from({ length: count }, (_, i) => {
    const own = Array.from({ length: 30 }, () => `own${random.nextWord()}`).join(' ');
    return (i % 100) / 100 < share ? `${menu} ${own}` : own;
  });
}

const boilerplate = {
  code: 'E_PARAMETER',
  option: 'similarity',
  message: expect.stringMatching(
    /^[\d,]+ of [\d,]+ documents share a band .* than similarity 0.4, .*; first remove the text that documents share/,
  ),
};

test.each<[string, string[], NearOptions, object[]]>([
  ['most documents share a menu', pages(1000, 0.9), {}, [boilerplate]],
  ['they do, and the run ends between two looks', [...pages(1000, 0.2), ...pages(900, 1, 8)], {}, [boilerplate]],
  ['fewer documents than are looked at', pages(999, 1), {}, []],
  ['a third of the documents share a menu', pages(3000, 0.35), {}, []],
  ['documents that are not verified', pages(1000, 0.9), { verify: false }, []],
  ['all documents are added', pages(1000, 0.9), { add: 'all' }, [boilerplate]],
])('%s', async (_, documents, options, expected) => {
  const warnings = await warningsOver(documents, { similarity: 0.4, memory: '4MiB', ...options });
  expect(warnings).toEqual(expected.map((one) => expect.objectContaining(one)));
});

test('a share above one half is found only if chance does not explain it', () => {
  expect([500, 540, 558].map((count) => isMostly(count, 1000))).toEqual([false, false, false]);
  expect([562, 600, 1000].map((count) => isMostly(count, 1000))).toEqual([true, true, true]);
});
