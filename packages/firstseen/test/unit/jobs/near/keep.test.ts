// Which document of a cluster is kept: the clusters are those of a run that keeps the first, whose members emit ids names.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DocumentOptions } from '../../../../src/jobs/near/documentoptions.js';
import { ClusterMembers } from '../../../../src/jobs/near/members.js';
import { runDocuments } from '../../../../src/jobs/near/run.js';
import { DISTINCT, DUPLICATE } from '../../../../src/kernel/abi.js';
import { decisions } from '../../../../src/records/classes.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords } from '../../../support/documents.js';
import { Random } from '../../../support/streams.js';

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

interface Version {
  id: number;
  at: number | string | null;
  text: string;
}

const random = new Random(5);
const below = (most: number) => random.nextWord() % most;
const originals = Array.from({ length: 60 }, () => drawWords(50, random));

/** Versions of the originals, a few words longer or shorter, with times in any order. */
const versions: Version[] = Array.from({ length: 900 }, (_, id) => {
  const words = originals[below(originals.length)] as string[];
  const text = [...words, ...drawWords(below(4), random)].join(' ');
  return { id, at: id % 13 === 0 ? null : below(1000) - 500, text };
});

const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

async function outputOf(own: Partial<DocumentOptions>, records: readonly object[] = versions): Promise<string[]> {
  writeFileSync(at('in.ndjson'), linesOf(records));
  const { near, ...others } = own;
  await runDocuments({
    ...{ inputs: [at('in.ndjson')], output: at('out'), threads: 1, ...others },
    near: { memory: '1MiB', ...near },
  });
  return readFileSync(at('out'), 'utf8').split('\n').filter(Boolean);
}

const idsOf = (lines: readonly string[]) => lines.map((line) => (JSON.parse(line) as Version).id);

/** The clusters, each with its members in the order of the input. */
async function clusters(own: Partial<DocumentOptions> = {}): Promise<Version[][]> {
  const firsts = new Map<number, Version[]>();
  const nearTo = new Map(
    (await outputOf({ ...own, emit: 'ids', idKey: 'id' })).map((line) => {
      const [id, first] = line.split('\t');
      return [Number(id), Number(first)];
    }),
  );
  for (const version of versions) {
    const first = nearTo.get(version.id) ?? version.id;
    firsts.set(first, [...(firsts.get(first) ?? []), version]);
  }
  return [...firsts.values()];
}

const better: Record<string, (one: Version, best: Version) => boolean> = {
  last: () => true,
  longest: (one, best) => [...one.text].length > [...best.text].length,
  'max:at': (one, best) => one.at !== null && (best.at === null || one.at > best.at),
  'min:at': (one, best) => one.at !== null && (best.at === null || one.at < best.at),
};

describe.each(Object.keys(better))('keep %s', (keep) => {
  test.each([
    ['as long as the table remembers all', {}],
    ['with a window', { near: { window: 20 } }],
  ] as const)('is the best member of each cluster, in the order of the inputs, %s', async (_, own) => {
    const all = await clusters(own);
    expect(all.length).toBeGreaterThan(50);
    const best = all.map((members) => members.reduce((kept, one) => (better[keep]?.(one, kept) ? one : kept)));
    const expected = best.map(({ id }) => id).sort((one, other) => one - other);
    expect(idsOf(await outputOf({ ...own, keep }))).toEqual(expected);
    const others = versions.map(({ id }) => id).filter((id) => !expected.includes(id));
    expect(idsOf(await outputOf({ ...own, keep, emit: 'duplicates' }))).toEqual(others);
  });
});

/** The lines of names, each as its three fields. */
const fieldsOf = (lines: readonly string[]) => lines.map((line) => line.split('\t'));

describe.each([
  ['as long as the table remembers all', {}],
  ['with a window', { near: { window: 20 } }],
] as const)('names of dropped documents, %s', (_, own) => {
  test.each(['longest', 'min:at'])('tell the kept one with keep %s, beside the records', async (keep) => {
    const names = { ...own, idKey: 'id' };
    const nearFirst = new Map(
      fieldsOf(await outputOf({ ...names, emit: 'ids' })).map(([id, first, similarity]) => [id, { first, similarity }]),
    );
    const expected = (await clusters(own)).flatMap((members) => {
      const [first] = members as [Version, ...Version[]];
      const best = members.reduce((kept, one) => (better[keep]?.(one, kept) ? one : kept));
      return members
        .filter(({ id }) => id !== best.id)
        .map(({ id }) => {
          // Both were compared with the first document alone.
          const compared = best === first ? id : id === first.id ? best.id : undefined;
          return [id, best.id, compared === undefined ? '' : nearFirst.get(String(compared))?.similarity];
        });
    });
    const inOrder = expected.map((fields) => fields.map(String)).sort(([one], [other]) => Number(one) - Number(other));
    expect(inOrder.filter(([, , similarity]) => similarity === '').length).toBeGreaterThan(20);
    const records = await outputOf({ ...names, keep, idsTo: at('ids') });
    expect(fieldsOf(readFileSync(at('ids'), 'utf8').split('\n').filter(Boolean))).toEqual(inOrder);
    expect(records).toEqual(await outputOf({ ...own, keep }));
    expect(fieldsOf(await outputOf({ ...names, keep, emit: 'ids' }))).toEqual(inOrder);
  });
});

test('takes numbers and long texts as names, and drops documents by a policy', async () => {
  const long = 'x'.repeat(70_000);
  const records = [
    { id: 1, text: 'one two three four' },
    { id: 'none' },
    { id: 'a\tb', text: 'other words than those above' },
    { id: long, text: 'one two three four five six' },
    { id: 'c', text: 'other words than those above' },
  ];
  const own = {
    keep: 'longest',
    idKey: 'id',
    missingKey: 'distinct',
    emit: 'ids',
    near: { similarity: 0.3, shingle: '1w' },
  };
  expect(await outputOf(own as Partial<DocumentOptions>, records)).toEqual([
    `1\t${long.slice(0, 1024)}\t0.6667`,
    'c\t"a\\tb"\t1.0000',
  ]);
});

test('files that are documents are named by their paths', async () => {
  writeFileSync(at('a'), 'one two three');
  writeFileSync(at('b'), 'One, two, three!');
  const own = { keep: 'longest', idsTo: at('ids'), near: { memory: '1MiB' } } as const;
  await runDocuments({ inputs: [at('a'), at('b')], output: at('out'), ...own });
  expect(readFileSync(at('out'), 'utf8')).toBe(`${at('b')}\n`);
  expect(readFileSync(at('ids'), 'utf8')).toBe(`${at('a')}\t${at('b')}\t1.0000\n`);
});

test('the first is kept by default', async () => {
  expect(await outputOf({ keep: 'first' })).toEqual(await outputOf({}));
});

test('values are compared as numbers, and as bytes if they are none', async () => {
  const text = 'one two three four five six seven';
  const records = ['"b"', '"10"', '9', '"a"', '1e1', 'null'].map(
    (value, id) => `{"id":${id},"at":${value},"text":"${text}"}`,
  );
  const keptOf = async (keep: string) => {
    writeFileSync(at('in.ndjson'), records.join('\n'));
    await runDocuments({ inputs: [at('in.ndjson')], output: at('out'), keep, near: { memory: '1MiB' } });
    return idsOf(readFileSync(at('out'), 'utf8').split('\n').filter(Boolean));
  };
  expect(await keptOf('max:at')).toEqual([0]);
  expect(await keptOf('min:at')).toEqual([2]);
});

test('policies decide about the same records in both readings', async () => {
  const records = [{ text: 'a b c d e f' }, { text: null }, { other: 1 }, { text: 'a b c d e f' }, { text: null }];
  const own = { keep: 'last', missingKey: 'distinct', emit: 'verdicts' } as const;
  expect(await outputOf(own, records)).toEqual(['duplicate', 'passed', 'passed', 'distinct', 'passed']);
  await expect(outputOf({ keep: 'last' }, records)).rejects.toThrow(/line 2: the text of the record is null/);
  expect(readFileSync(at('out'), 'utf8')).toBe('{"text":"a b c d e f"}\n');
});

test('columns rank documents too, and texts in several places are compared', async () => {
  writeFileSync(at('in.csv'), 'id,size,a,b\n1,2,x y,one two three four\n2,10,x y,one two  three four\n');
  const own = { keep: 'max:size', textKey: ['a', 'b'], near: { memory: '1MiB' } } as const;
  await runDocuments({ inputs: [at('in.csv')], output: at('out'), ...own });
  expect(readFileSync(at('out'), 'utf8')).toBe('id,size,a,b\n2,10,x y,one two  three four\n');
});

test('files are documents', async () => {
  for (const [name, text] of [
    ['a', 'one two three'],
    ['b', 'One, two, three!'],
    ['c', 'other'],
  ] as const) {
    writeFileSync(at(name), text);
  }
  const inputs = ['a', 'b', 'c'].map(at);
  await runDocuments({ inputs, output: at('out'), keep: 'longest', near: { memory: '1MiB' } });
  expect(readFileSync(at('out'), 'utf8')).toBe(`${at('b')}\n${at('c')}\n`);
});

test.each([
  ['state', { state: 'state' }, /state was given with keep last, but what an earlier run has written/],
  ['isFollowing', { isFollowing: true }, /isFollowing was given with keep last, but the inputs are read twice/],
  ['emit', { emit: 'attributes' }, /emit was given with keep last, but the kept document is known only after/],
  ['onReview', { onReview: () => undefined }, /onReview was given with keep last, but the kept document is known only/],
  ['annotate', { emit: 'all', annotate: 'near' }, /annotate was given with keep last/],
  ['add', { near: { add: 'all' } }, /add was given with keep last/],
  ['keep', { near: { verify: false } }, /but documents are not verified/],
  [
    'keep',
    { keep: 'newest' },
    /keep is "newest", but must be .*; give keep max:FIELD with the field that has the time/,
  ],
  ['keep', { keep: 'most' }, /keep is "most", but must be first, last, longest, max:FIELD or min:FIELD/],
  ['keep', { keep: 'max:none' }, /no record has a value for none/],
] as const)('%s is refused beside: %j', async (option, own, message) => {
  const error = await outputOf({ keep: 'last', ...own } as Partial<DocumentOptions>).catch((one: unknown) => one);
  expect(error).toMatchObject({ option, message: expect.stringMatching(message) });
});

test('verdicts that change are those in the file, and those that are not in it yet', () => {
  const members = new ClusterMembers({ rule: 'longest' }, { capacity: 4, folder });
  const documents = 150_000;
  members.addFirst({ rank: 1 });
  for (let i = 1; i < documents; i++) {
    if (i % 50_000 === 0) members.addNear(1, { rank: i });
    else if (i % 7 === 0) members.addException(decisions.PASSED, 'missingKey');
    else members.addNear(1, { rank: 0 });
  }
  const verdicts = new Uint8Array(documents);
  const told = members.tell(documents, verdicts);
  expect(told).toEqual({ taken: documents, exceptions: { missingKey: Math.floor((documents - 1) / 7) } });
  expect([0, 1, 7, 50_000, 100_000].map((i) => verdicts[i])).toEqual([
    DUPLICATE,
    DUPLICATE,
    decisions.PASSED,
    DUPLICATE,
    DISTINCT,
  ]);
  expect(members.isWhole).toBe(true);
  expect(members.tell(1, verdicts)).toBeUndefined();
  members.close();
});
