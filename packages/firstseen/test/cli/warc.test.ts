// Runs over files of WARC: on several threads, longer than a chunk, with a member of gzip for each record, and growing.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync, inflateRawSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { inLongForm } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { conversionRecord, infoRecord, responseRecord, warcRecord } from '../support/warc.js';
import { temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const at = (name: string) => join(cwd, name);
const read = (name: string) => readFileSync(at(name), 'latin1');
const write = (name: string, content: string | Uint8Array) => writeFileSync(at(name), content, 'latin1');

async function run(...args: string[]) {
  const { code, stderr } = await runWithSmallRecords(args, { cwd });
  return { code, stderr };
}

/** Pages with texts of words, of which some are those of earlier pages with another word, and their records without a known place. */
function pages(count: number, seed: number): string[] {
  const random = randomFrom(seed);
  const words = (length: number) => Array.from({ length }, () => `w${Math.floor(random() ** 3 * 3000)}`).join(' ');
  const texts: string[] = [];
  return Array.from({ length: count }, (_, i) => {
    const text =
      i > 0 && random() < 0.4 ? `${texts[Math.floor(random() * i)]} ${words(1)}` : words(30 + random() * 300);
    texts.push(text);
    const url = `http://${i % 500}.example/`;
    return random() < 0.5
      ? conversionRecord(url, text, `${i}`)
      : responseRecord(url, `\r\n\r\nWARC/1.0\r\n${text}`, `${i}`);
  });
}

test.each([
  ['by block', ['in.warc']],
  ['by address and payload', ['in.warc', '-k', 'url', '-k', 'payload']],
  ['by address', ['in.warc', '-k', 'url']],
  ['near', ['near', 'in.warc', '--text-key', 'payload']],
  ['passages', ['passages', 'in.warc', '--by', 'ngram']],
])('the output does not depend on the number of threads: %s', async (_name, args) => {
  write('in.warc', [infoRecord(), ...pages(inLongForm(6000, 1400), 1)].join(''));
  const severalThreads = inLongForm(['2', '3'], ['3']);
  for (const threads of ['1', ...severalThreads]) {
    expect(await run(...args, '--threads', threads, '-o', `out${threads}`)).toEqual({ code: 0, stderr: '' });
  }
  expect(read('out1').length).toBeGreaterThan(100_000);
  for (const threads of severalThreads) expect(read(`out${threads}`) === read('out1')).toBe(true);
});

test('members of gzip are read as one text', async () => {
  const records = pages(inLongForm(3000, 300), 2);
  write('in.warc', records.join(''));
  write('in.warc.gz', Buffer.concat(records.map((record) => gzipSync(Buffer.from(record, 'latin1'), { level: 1 }))));
  for (const name of ['in.warc', 'in.warc.gz']) {
    expect(await run(name, '-k', 'payload', '-o', `out-${name}.txt`)).toEqual({ code: 0, stderr: '' });
  }
  expect(read('out-in.warc.gz.txt') === read('out-in.warc.txt')).toBe(true);
});

/** Bytes of a member of gzip before and after what is compressed, without a name. */
const [HEAD_BYTES, TAIL_BYTES] = [10, 8];

/** The content of each member of a gzip file. */
function membersOf(stored: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < stored.length; ) {
    const { buffer, engine } = inflateRawSync(stored.subarray(at + HEAD_BYTES), { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    found.push(buffer.toString('latin1'));
    at += HEAD_BYTES + engine.bytesWritten + TAIL_BYTES;
  }
  return found;
}

const keptOnce = (records: readonly string[]) => {
  const blocks = new Set<string>();
  return records.filter((record) => {
    const block = record.slice(record.indexOf('\r\n\r\n'));
    return blocks.size < blocks.add(block).size;
  });
};

test.each(['1', '2'])('a compressed output has a member for each record, with %s threads', async (threads) => {
  const records = [...pages(inLongForm(4000, 400), 7), ...pages(inLongForm(300, 100), 7)];
  write('in.warc', records.join(''));
  const flags = ['in.warc', '--threads', threads, '--duplicates-to', 'again.warc.gz', '-a', 'exact'];
  expect(await run(...flags, '-o', 'out.warc.gz')).toEqual({ code: 0, stderr: '' });
  const members = membersOf(readFileSync(at('out.warc.gz')));
  expect(members.length).toBeGreaterThan(inLongForm(2000, 200));
  expect(members).toEqual(keptOnce(records));
  expect(membersOf(readFileSync(at('again.warc.gz'))).length).toBe(records.length - members.length);
  write('one.warc.gz', readFileSync(at('out.warc.gz')));
  expect(await run('one.warc.gz', '-a', 'exact', '-o', 'two.warc')).toEqual({ code: 0, stderr: '' });
  expect(read('two.warc')).toBe(members.join(''));
});

test('blank lines are in the member of the record that follows, and a record in pieces is one member', async () => {
  const [first, last] = [conversionRecord('http://a.example/', 'first'), conversionRecord('http://b.example/', 'last')];
  const long = warcRecord({ fields: { 'WARC-Type': 'conversion' }, block: 'a line\r\n'.repeat(400_000) });
  write('in.warc', [first, '\r\n', long, long, last, '\r\n\r\n'].join(''));
  const flags = ['in.warc', '--on-error', 'pass', '--max-record', '64KiB'];
  expect(await run(...flags, '-o', 'out.warc.gz')).toEqual({ code: 0, stderr: '' });
  const members = membersOf(readFileSync(at('out.warc.gz')));
  expect(members.map(({ length }) => length)).toEqual(
    [first, `\r\n${long}`, long, last, '\r\n\r\n'].map((one) => one.length),
  );
  expect(members.join('') === read('in.warc')).toBe(true);
});

test('a compressed output that is continued has the same bytes', async () => {
  const records = pages(inLongForm(3000, 300), 8);
  const earlier = records.length / 3;
  write('in.warc', records.join(''));
  expect(await run('in.warc', '-o', 'whole.warc.gz')).toEqual({ code: 0, stderr: '' });
  const flags = ['in.warc', '--state', 's', '-o', 'out.warc.gz'];
  write('in.warc', records.slice(0, earlier).join(''));
  expect(await run(...flags)).toEqual({ code: 0, stderr: '' });
  appendFileSync(at('in.warc'), records.slice(earlier).join(''), 'latin1');
  expect(await run(...flags)).toEqual({ code: 0, stderr: '' });
  expect(readFileSync(at('out.warc.gz')).equals(readFileSync(at('whole.warc.gz')))).toBe(true);
});

test.each(['1', '2'])('rewritten records are valid and lack what was seen, with %s threads', async (threads) => {
  const random = randomFrom(9);
  const paragraphs = Array.from({ length: 300 }, (_, i) => `Paragraph ${i}: \xc3\xa9 and \r\n in it`);
  const texts = Array.from({ length: inLongForm(2000, 300) }, () =>
    Array.from({ length: 4 }, () => paragraphs[Math.floor(random() ** 2 * 300)]).join('\n'),
  );
  const fields = (i: number) => ({ 'WARC-Type': 'conversion', 'WARC-Target-URI': `http://${i}/` });
  const digests = { 'WARC-Block-Digest': 'sha1:A', 'Content-Type': 'text/plain', 'warc-payload-digest': 'sha1:B' };
  const records = texts.map((block, i) => warcRecord({ fields: { ...fields(i), ...digests }, block }));
  const others = [infoRecord(), responseRecord('http://a.example/', texts[0] as string)];
  write('in.warc.wet', [...others, ...records].join(''));
  const lines = texts.map((text) => `${JSON.stringify({ text: Buffer.from(text, 'latin1').toString() })}\n`);
  write('in.jsonl', Buffer.from(lines.join('')));
  const flags = ['--emit', 'rewritten', '--threads', threads, '-a', 'exact', '-m', '8MiB'];
  expect(await run('passages', 'in.warc.wet', ...flags, '-o', 'out.warc.wet.gz')).toEqual({ code: 0, stderr: '' });
  expect(await run('passages', 'in.jsonl', ...flags, '-o', 'out.jsonl')).toEqual({ code: 0, stderr: '' });
  const expected = readFileSync(at('out.jsonl'), 'utf8').trimEnd().split('\n');
  const members = membersOf(readFileSync(at('out.warc.wet.gz')));
  expect(members.splice(0, 2)).toEqual(others);
  const block = (record: string) => record.slice(record.indexOf('\r\n\r\n') + 4, -4);
  expect(members.map(block)).toEqual(expected.map((line) => Buffer.from(JSON.parse(line).text).toString('latin1')));
  for (const member of members) {
    const whole = records.includes(member);
    expect(member.includes('igest'), member).toBe(whole);
    const [, url, length] = /WARC-Target-URI: (.*)\r[\s\S]*Content-Length: (\d+)\r\n\r\n/.exec(
      member,
    ) as unknown as string[];
    expect(Number(length)).toBe(block(member).length);
    expect(texts[Number(/\d+/.exec(url as string)?.[0])]).toContain(block(member).split('\n').at(-1));
  }
  const { code, stderr } = await run('out.warc.wet.gz', '--format', 'warc', '-o', 'again');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.each(['pass', 'drop'])(
  'records longer than a chunk and than allowed %s, and the next one is found',
  async (policy) => {
    const [first, last] = [
      conversionRecord('http://a.example/', 'first'),
      conversionRecord('http://b.example/', 'last'),
    ];
    const long = warcRecord({ fields: { 'WARC-Type': 'conversion' }, block: 'WARC/1.0\r\n\r\n'.repeat(300_000) });
    const junk = `${'junk\r\n'.repeat(500_000)}\r\n`;
    write('in.warc', [first, long, last, junk, last].join(''));
    expect(await run('in.warc', '--on-error', policy, '--max-record', '64KiB', '-o', 'out')).toMatchObject({ code: 0 });
    const expected = policy === 'pass' ? [first, long, last, junk] : [first, last];
    expect(read('out') === expected.join('')).toBe(true);
  },
);

test('a file that ends in a record waits for the rest of it', async () => {
  const records = [infoRecord(), ...pages(20, 3)];
  const whole = records.join('');
  const flags = ['in.warc', '-k', 'id', '--state', 's', '-o', 'out'];
  const cut = whole.length - 3;
  write('in.warc', whole.slice(0, cut));
  const { code, stderr } = await run(...flags);
  expect(code).toBe(0);
  expect(stderr).toMatch(/^firstseen: in\.warc ends inside a record; its last [\d,]+ bytes wait for the next run\n$/);
  expect(read('out')).toBe(records.slice(0, -1).join(''));
  appendFileSync(at('in.warc'), whole.slice(cut) + (records[1] as string), 'latin1');
  expect(await run(...flags)).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(whole);
});

test('a record that was passed on before it was complete is told when the file has grown', async () => {
  const whole = conversionRecord('http://a.example/', 'text');
  const flags = ['in.warc', '--state', 's', '-o', 'out', '--partial', 'record', '--on-error', 'pass'];
  write('in.warc', whole.slice(0, -6));
  expect(await run(...flags)).toEqual({ code: 0, stderr: '' });
  appendFileSync(at('in.warc'), whole.slice(-6), 'latin1');
  const { code, stderr } = await run(...flags);
  expect(code).toBe(1);
  expect(stderr).toContain('it did not have all bytes of its last record then');
});

test('a type that no standard knows is refused, and types that no record has are told', async () => {
  write('in.warc', infoRecord() + infoRecord());
  const typo = await run('in.warc', '--warc-type', 'respones', '-o', 'out');
  expect(typo.code).toBe(2);
  expect(typo.stderr).toMatch(/--warc-type is "respones", but must be one or more of response, .*, or all \[E_USAGE\]/);
  const told = 'no record was compared: the 2 records of other types passed; choose the types to compare';
  expect(await run('in.warc', '-o', 'out')).toEqual({ code: 0, stderr: `firstseen: ${told}\n` });
  expect(await run('in.warc', '--warc-type', 'All', '-o', 'out')).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(infoRecord());
});

test('a length of too many digits is a number all the same', async () => {
  const length = '12345678901234567890123';
  write('in.warc', warcRecord({ fields: { 'WARC-Type': 'conversion' }, length }));
  const { stderr } = await run('in.warc', '-o', 'out');
  expect(stderr).toContain('the Content-Length of the record is not a whole number of at most 18 digits');
});

test('--warc-type does not belong to a state', async () => {
  const [page] = pages(1, 5) as [string];
  const flags = ['in.warc', '--state', 's', '--new-run', '-o', 'out'];
  write('in.warc', page + infoRecord() + infoRecord());
  expect(await run(...flags)).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(page + infoRecord() + infoRecord());
  expect(await run(...flags, '--warc-type', 'all')).toEqual({ code: 0, stderr: '' });
  expect(read('out')).toBe(infoRecord());
});
