// Routes that observe and test the records of a body.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DataFolder } from '../../../src/serve/log/datafolder.js';
import { sampleUpTo } from '../../support/form.js';
import { randomFrom } from '../../support/random.js';
import { Client } from '../support/client.js';
import { dataIn, newFolder } from '../support/folder.js';
import { ask, askJson, RawClient, withHttp } from '../support/http.js';

const bloom = { algorithm: 'bloom', memory: '64KiB' };
const lines = 'text/plain';
const ndjson = 'application/x-ndjson';
const integers = 'application/octet-stream';

/** Runs a test with a detector `d`. */
function withDetector(run: (port: number, redisPort: number) => Promise<void>, options: object = bloom): Promise<void> {
  return withHttp(async (port, server) => {
    await askJson(port, 'PUT', '/detectors/d', options);
    await run(port, server.port);
  });
}

function observe(port: number, body: string | Uint8Array, { query = '', type = lines, headers = {} } = {}) {
  return ask(port, 'POST', `/detectors/d/observe${query}`, { body, type, headers });
}

function integersOf(...values: bigint[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values).buffer);
}

test('lines get a verdict each, and are the keys of clients of Redis', () =>
  withDetector(async (port, redisPort) => {
    expect((await observe(port, 'a\nb\na\n')).text).toBe('distinct\ndistinct\nduplicate\n');
    // A last line without an end is one, and so is an empty line.
    expect((await observe(port, '\nb\n\nc')).text).toBe('distinct\nduplicate\nduplicate\ndistinct\n');
    const client = await Client.open(redisPort);
    expect(await client.send('FS.TEST', 'd', 'a', 'c', '', 'x')).toEqual([
      '+duplicate',
      '+duplicate',
      '+duplicate',
      '+distinct',
    ]);
    client.close();
    const tested = await ask(port, 'POST', '/detectors/d/test', { body: 'a\nx\nx\n', type: lines });
    expect([tested.status, tested.text]).toEqual([200, 'duplicate\ndistinct\ndistinct\n']);
    expect((await observe(port, '')).text).toBe('');
  }));

test('objects have keys, and records without one follow the policies of the command', () =>
  withDetector(async (port) => {
    const records = '{"u":{"id":1}}\n\n{"u":{"id":1},"x":2}\n{"u":{"id":null}}\n{"u":{}}\n{"u":{"id":"1"}}\n';
    const asked = (query: string) => observe(port, records, { query: `?key=u.id${query}`, type: ndjson });
    expect((await asked('&missing-key=drop')).text).toBe('distinct\nduplicate\npassed\ndropped\ndistinct\n');
    expect((await asked('&missing-key=distinct&empty-key=drop&emit=duplicates')).text).toBe(
      '{"u":{"id":1}}\n{"u":{"id":1},"x":2}\n{"u":{"id":"1"}}\n',
    );
    expect((await asked('&missing-key=distinct&null-key=missing&emit=counts')).json).toEqual({
      ...{ records: 5, distinct: 0, duplicates: 3, pending: 0, passed: 2, dropped: 0 },
    });
    const failed = await asked('');
    expect(failed.status).toBe(400);
    expect(failed.json).toMatchObject({
      code: 'E_KEY_MISSING',
      detail:
        'the body, line 5: the record has no key; choose missing-key distinct to pass it on unchecked, or missing-key drop to leave it out',
      counts: { records: 3, distinct: 0, duplicates: 2, passed: 1 },
      reply: 'duplicate\nduplicate\npassed\n',
    });
    const several = await observe(port, '{"a":1,"b":2}\n', { query: '?key=a&key=b', type: ndjson });
    expect(several.text).toBe('distinct\n');
  }));

test('nothing but another object follows an object on its line', () =>
  withDetector(async (port) => {
    const records = '{"id":1} {"id":2}\n{"id":3},{"id":4}\n{"id":5,"x":"torn{"id":6}\n{"id":7} more }\n{"id":8}\n';
    for (const key of ['', '&key=id']) {
      const { text } = await observe(port, records, { query: `?on-error=drop${key}`, type: ndjson });
      expect(text).toBe('distinct\ndistinct\ndropped\ndropped\ndropped\ndistinct\n');
    }
  }));

test('rules of keys are refused where each record is a key as a whole, because they would do nothing', () =>
  withDetector(async (port) => {
    for (const query of ['empty-key=drop', 'empty-key=distinct', 'missing-key=drop', 'null-key=value']) {
      for (const [type, body] of [
        [lines, 'a\n\n'],
        [ndjson, '{}\n'],
        [integers, ''],
      ] as const) {
        const { status, json } = await observe(port, body, { query: `?${query}`, type });
        expect([status, json]).toMatchObject([
          400,
          { code: 'E_REQUEST', detail: /^\w+-key has no effect without key/ },
        ]);
      }
    }
    expect((await observe(port, 'a\n\n', { query: '?on-error=drop' })).text).toBe('distinct\ndistinct\n');
  }));

test('integers are answered by bytes', () =>
  withDetector(async (port) => {
    const body = integersOf(1n, 2n ** 64n - 1n, 1n);
    const reply = await observe(port, body, { type: integers });
    expect(reply.headers['content-type']).toBe(integers);
    expect(reply.text).toBe('\0\0\x01');
    expect((await observe(port, integersOf(1n, 5n), { type: integers, query: '?emit=counts' })).json).toMatchObject({
      ...{ records: 2, distinct: 1, duplicates: 1 },
    });
    const cut = await observe(port, integersOf(9n).subarray(0, 5), { type: integers, query: '?on-error=drop' });
    expect(cut.text).toBe('\x04');
    const failed = await observe(port, integersOf(9n).subarray(0, 5), { type: integers });
    expect([failed.status, failed.json.code]).toEqual([400, 'E_RECORD']);
  }));

test('records of a verdict come out as they are, the last with an end', () =>
  withDetector(async (port) => {
    expect((await observe(port, 'a\nb\r\na\nc', { query: '?emit=distinct' })).text).toBe('a\nb\r\nc\n');
    expect((await observe(port, 'a\nd\nb\r', { query: '?emit=duplicates' })).text).toBe('a\nb\r\n');
    expect((await observe(port, 'a\nz', { query: '?emit=counts' })).json).toMatchObject({ distinct: 1, duplicates: 1 });
  }));

test('an error before any reply is the status, with what became of the records before it', () =>
  withDetector(async (port) => {
    await observe(port, '{"id":1}\n', { query: '?key=id', type: ndjson });
    const reply = await observe(port, '{"id":1}\n{"id":1}\n{"id"\n', { query: '?key=id&emit=distinct', type: ndjson });
    expect([reply.status, reply.json]).toEqual([
      400,
      expect.objectContaining({ code: 'E_RECORD', counts: expect.objectContaining({ records: 2, duplicates: 2 }) }),
    ]);
    const gzip = await observe(port, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0]));
    expect([gzip.status, gzip.json.code]).toEqual([400, 'E_INPUT']);
  }));

test('a reply of records that cannot go on does not end', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    const body = '{"id":1}\n{"id":2}\nno\n{"id":3}\n';
    client.socket.write(
      `POST /detectors/d/observe?key=id&emit=distinct HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${ndjson}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    client.socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
    await client.untilEnd();
    expect(client.received).toMatch(/^HTTP\/1.1 200 OK/);
    expect(client.received).toMatch(/\{"id":1\}\n\{"id":2\}\n/);
    expect(client.received).not.toMatch(/0\r\n\r\n$/);
    const tested = await ask(port, 'POST', '/detectors/d/test?key=id', { body: '{"id":2}\n{"id":3}\n', type: ndjson });
    expect(tested.text).toBe('duplicate\ndistinct\n');
  }));

test('an error in a body of known length is the status, with the reply to the records before it', () =>
  withDetector(async (port) => {
    const counts = { records: 2, distinct: 1, duplicates: 1 };
    const body = '{"k":1}\n{"k":1}\nno\n{"k":2}\n';
    const replies = { verdicts: 'distinct\nduplicate\n', distinct: '{"k":1}\n', duplicates: '{"k":1}\n' };
    for (const [emit, reply] of Object.entries(replies)) {
      await ask(port, 'POST', '/detectors/d/clear');
      const failed = await observe(port, body, { query: `?key=k&emit=${emit}`, type: ndjson });
      expect(failed.json).toMatchObject({ status: 400, code: 'E_RECORD', counts, reply });
    }
    await ask(port, 'POST', '/detectors/d/clear');
    const integers = new Uint8Array(20).fill(200, 0, 8);
    const type = 'application/octet-stream';
    const bytes = await observe(port, integers, { query: '?emit=distinct', type });
    expect(bytes.json).toMatchObject({ status: 400, counts: { records: 2, distinct: 2 } });
    expect(Buffer.from(String(bytes.json.replyBase64), 'base64')).toEqual(Buffer.from(integers.subarray(0, 16)));
    // What is too much to be gathered has a status before the error.
    const long = await observe(port, `${'a\n'.repeat(2 ** 16)}${'x'.repeat(2 ** 20 + 1)}\n`);
    expect([long.status, long.text.slice(-400)]).toEqual([200, expect.stringMatching(/\nerror E_RECORD /)]);
  }));

test('answers do not depend on where a body is cut', () =>
  withHttp(async (port) => {
    const body = '{"k":"a"}\n\n{"k":"b"}\n{"x":1}\n{"k":"é"}\n{"k":"a"}\nno\n{"k":"z"}\n';
    const bytes = Buffer.from(body);
    const head = (cut: number) =>
      `POST /detectors/c${cut}/observe?key=k&missing-key=drop HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${ndjson}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const expected =
      'distinct\ndistinct\ndropped\ndistinct\nduplicate\nerror E_RECORD the body, line 7: the line is not a JSON object';
    for (const cut of sampleUpTo(bytes.length - 1, 25).slice(1)) {
      await askJson(port, 'PUT', `/detectors/c${cut}`, { algorithm: 'bloom', memory: '1KiB' });
      const client = await RawClient.open(port);
      client.socket.write(head(cut));
      for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        client.socket.write(Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
        await new Promise(setImmediate);
      }
      client.socket.write('0\r\n\r\n');
      await client.untilEnd();
      const chunks = client.received.slice(client.received.indexOf('\r\n\r\n') + 4);
      const text = chunks.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, '');
      expect(text, `cut at ${cut}`).toMatch(new RegExp(`^${expected}`));
      await ask(port, 'DELETE', `/detectors/c${cut}`);
    }
  }));

test('a client that waits for each verdict gets it before it sends the next record', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    client.socket.write(
      `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${lines}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const [key, verdict] of [
      ['a', 'distinct'],
      ['b', 'distinct'],
      ['a', 'duplicate'],
    ] as const) {
      client.received = '';
      client.socket.write(`2\r\n${key}\n\r\n`);
      expect(await client.until(/(distinct|duplicate)\n/)).toContain(verdict);
    }
    client.socket.write('0\r\n\r\n');
    expect(await client.until(/0\r\n\r\n$/)).toMatch(/0\r\n\r\n$/);
    client.socket.destroy();
  }));

test('a client that goes away in the middle of a record has observed the records before it', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    client.socket.write(
      `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${lines}\r\nContent-Length: 100\r\n\r\na\nb\nhal`,
    );
    const observed = async () => (await ask(port, 'GET', '/detectors/d')).json.stats as unknown as { observed: number };
    while ((await observed()).observed < 2) await sleep(5);
    client.socket.destroy();
    const { text } = await ask(port, 'POST', '/detectors/d/test', { body: 'a\nb\nhal\n', type: lines });
    expect(text).toBe('duplicate\nduplicate\ndistinct\n');
  }));

test('bodies that come at the same time do not disturb one another', () =>
  withHttp(async (port) => {
    const random = randomFrom(5);
    const options = [bloom, { ...bloom, seed: 9 }, { ...bloom, keyed: true }, { algorithm: 'exact', memory: '64KiB' }];
    await Promise.all(
      options.map(async (one, i) => {
        await askJson(port, 'PUT', `/detectors/d${i}`, one);
        const client = await RawClient.open(port);
        const keys = Array.from({ length: 300 }, () =>
          `${Math.floor(random() * 200)}`.repeat(1 + Math.floor(random() * 9)),
        );
        const seen = new Set<string>();
        const expected = keys.map((key) => {
          const verdict = seen.has(key) ? 'duplicate\n' : 'distinct\n';
          seen.add(key);
          return verdict;
        });
        const body = keys.map((key) => (i % 2 ? `{"k":"${key}"}\n` : `${key}\n`)).join('');
        const [type, query] = i % 2 ? [ndjson, '?key=k'] : [lines, ''];
        client.socket.write(
          `POST /detectors/d${i}/observe${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
        );
        for (let at = 0; at < body.length; ) {
          const bytes = 1 + Math.floor(random() * 400);
          client.socket.write(body.slice(at, at + bytes));
          at += bytes;
          await new Promise(setImmediate);
        }
        await client.untilEnd();
        expect(client.received.slice(client.received.indexOf('\r\n\r\n') + 4)).toBe(expected.join(''));
      }),
    );
  }));

test('a client that does not read its reply is not read from, and misses nothing', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    client.socket.pause();
    client.socket.write(
      `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${lines}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    );
    const part = 'xxxxxxx\n'.repeat(2 ** 13);
    let sent = 0;
    while (
      client.socket.write(`${part.length.toString(16)}\r\n${part}\r\n`) ||
      client.socket.writableLength < 2 ** 20
    ) {
      sent++;
      await new Promise(setImmediate);
      expect(sent).toBeLessThan(1000);
    }
    sent++;
    const { observed } = (await ask(port, 'GET', '/detectors/d')).json.stats as unknown as { observed: number };
    expect(observed).toBeLessThan((sent * part.length) / 8);
    client.socket.write('0\r\n\r\n');
    client.socket.resume();
    await client.untilEnd();
    expect(client.received.match(/d(istinct|uplicate)/g)).toHaveLength((sent * part.length) / 8);
  }));

test('a record that is too long is refused, passed or dropped, as it is told', () =>
  withDetector(async (port) => {
    const long = 'x'.repeat(2 ** 20 + 1);
    const body = `a\n${long}\nb\n`;
    expect((await observe(port, body)).json).toMatchObject({
      ...{ status: 400, reply: 'distinct\n', code: 'E_RECORD' },
      detail:
        'the body, line 2: the record is longer than the limit of records, 1,048,576 bytes; send shorter records, or choose on-error pass to pass it on unchecked, or on-error drop to leave it out',
    });
    expect((await observe(port, body, { query: '?on-error=drop' })).text).toBe('duplicate\ndropped\ndistinct\n');
    expect((await observe(port, `${long}\nc\n`, { query: '?on-error=pass&emit=distinct' })).text).toBe(`${long}\nc\n`);
  }));

test('a retry with the same Idempotency-Key gets the answers of the first try, and a broken body changes nothing', () =>
  withDetector(async (port, redisPort) => {
    const retry = (body: string, id: string, query = '') =>
      observe(port, body, { headers: { 'Idempotency-Key': id }, query });
    expect((await retry('a\nb\na\n', '"one"')).text).toBe('distinct\ndistinct\nduplicate\n');
    expect((await retry('a\nb\na\n', 'one')).text).toBe('distinct\ndistinct\nduplicate\n');
    expect((await retry('a\nb\na\n', 'one', '?emit=distinct')).text).toBe('a\nb\n');
    expect((await retry('a\nb\na\n', 'one', '?emit=counts')).json).toMatchObject({ distinct: 2, duplicates: 1 });
    const other = await retry('a\n', 'one');
    expect([other.status, other.json.code]).toEqual([422, 'E_ID_REUSED']);
    // A program that did not set its id would give all its requests the same.
    for (const id of ['', '""']) {
      const unset = await retry('new\n', id);
      expect([unset.status, unset.json.code]).toEqual([400, 'E_REQUEST']);
    }
    expect((await observe(port, 'new\n', { query: '?emit=counts' })).json.distinct).toBe(1);
    const head =
      'POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n';
    const twice = await RawClient.open(port);
    twice.socket.write(`${head}Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\nx`);
    expect(await twice.until(/\}\n$/)).toMatch(/^HTTP\/1\.1 400 .*is given 2 times/s);
    twice.socket.destroy();
    const many = await retry('x\n'.repeat(1025), 'two');
    expect([many.status, many.json.code]).toEqual([413, 'E_BODY_SIZE']);
    const client = await Client.open(redisPort);
    expect(await client.send('FS.OBSERVEID', 'd', '', 'z')).toMatch(/^-ERR .* an id of 0 bytes/);
    expect(await client.send('FS.OBSERVEID', 'd', 'one', 'a', 'b', 'a')).toEqual([
      '+distinct',
      '+distinct',
      '+duplicate',
    ]);
    client.close();
    const broken = await observe(port, '{"k":1}\nno\n', {
      ...{ query: '?key=k', type: ndjson, headers: { 'Idempotency-Key': 'three' } },
    });
    expect([broken.status, broken.json.code]).toEqual([400, 'E_RECORD']);
    expect((await observe(port, '{"k":1}\n', { query: '?key=k', type: ndjson })).text).toBe('distinct\n');
  }));

test('a key that a claim holds is pending', () =>
  withDetector(
    async (port, redisPort) => {
      const client = await Client.open(redisPort);
      await client.send('FS.CLAIM', 'd', 'held', 'TOKEN', 't');
      expect((await observe(port, 'a\nheld\na\n')).text).toBe('distinct\npending\nduplicate\n');
      expect((await observe(port, 'a\nheld\n', { query: '?emit=counts' })).json).toMatchObject({
        ...{ records: 2, distinct: 0, duplicates: 1, pending: 1 },
      });
      const refused = await observe(port, 'a\n', { query: '?emit=distinct' });
      expect([refused.status, refused.json.code]).toEqual([409, 'E_CLAIMS']);
      client.close();
    },
    { claims: true, memory: '1MiB' },
  ));

test('a full detector says so after what it took', () =>
  withDetector(
    async (port) => {
      const body = Array.from({ length: 2000 }, (_, i) => `${i}\n`).join('');
      const { status, json } = await observe(port, body);
      const { detail, reply } = json as unknown as { detail: string; reply: string };
      expect([status, detail]).toEqual([507, expect.stringMatching(/^the body, line \d+: /)]);
      const observed = reply.split('\n').length - 1;
      const { stats } = (await ask(port, 'GET', '/detectors/d')).json as unknown as { stats: { observed: number } };
      expect(stats.observed).toBe(observed);
      const full = await observe(port, 'new\n');
      expect([full.status, full.json.code]).toEqual([507, 'E_FULL']);
    },
    { algorithm: 'exact', memory: '4KiB' },
  ));

test('a body of another type, a key of lines and a compressed body are refused', () =>
  withDetector(async (port) => {
    const form = await observe(port, 'a\n', { type: 'application/x-www-form-urlencoded' });
    expect([form.status, form.json.code, form.json.detail]).toEqual([
      415,
      'E_BODY_TYPE',
      expect.stringContaining('text/plain'),
    ]);
    expect((await observe(port, 'a\n', { query: '?key=a' })).json.code).toBe('E_REQUEST');
    expect((await observe(port, 'a\n', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415);
    expect((await observe(port, 'a\n', { headers: { 'Content-Encoding': 'identity' } })).status).toBe(200);
    const packed = { body: '{}', type: 'application/json', headers: { 'Content-Encoding': 'gzip' } };
    expect((await ask(port, 'PUT', '/detectors/packed', packed)).json.code).toBe('E_BODY_TYPE');
    expect((await observe(port, '{}\n', { query: '?key=a..b', type: ndjson })).status).toBe(400);
    expect((await ask(port, 'POST', '/detectors/none/test', { body: 'a\n', type: lines })).status).toBe(404);
  }));

test('a client that asks before it sends the body is told to, once its request is right', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    const head = (name: string) =>
      `POST /detectors/${name}/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${lines}\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;
    client.socket.write(head('d'));
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 100/);
    client.socket.write('a\n');
    expect(await client.until(/distinct\n/)).toMatch(/200 OK/);
    client.received = '';
    client.socket.write(head('none'));
    expect(await client.until(/\}\n/)).toMatch(/^HTTP\/1.1 404/);
    client.socket.destroy();
  }));

test('while the log cannot be written, records are refused, and tests are answered', () =>
  withHttp(
    async (port) => {
      await askJson(port, 'PUT', '/detectors/d', bloom);
      const problem = vi.spyOn(DataFolder.prototype, 'problemOfChange').mockReturnValue(new Error('no space left'));
      try {
        const refused = await observe(port, 'a\n');
        expect([refused.status, refused.json.code, refused.json.detail]).toEqual([
          507,
          'E_LOG',
          expect.stringContaining('no space left'),
        ]);
        expect((await ask(port, 'DELETE', '/detectors/d')).status).toBe(507);
        const { text } = await ask(port, 'POST', '/detectors/d/test', { body: 'a\n', type: lines });
        expect(text).toBe('distinct\n');
      } finally {
        problem.mockRestore();
      }
      expect((await observe(port, 'a\n')).text).toBe('distinct\n');
    },
    { data: dataIn(newFolder()) },
  ));

test('a detector that is removed in the middle of a body ends the reply', () =>
  withDetector(async (port) => {
    const client = await RawClient.open(port);
    client.socket.write(
      `POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${lines}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n`,
    );
    await client.until(/distinct\n/);
    await ask(port, 'DELETE', '/detectors/d');
    client.socket.write('2\r\nb\n\r\n');
    expect(await client.until(/error/)).toMatch(/error E_NOT_FOUND the detector was removed\n/);
    client.socket.destroy();
  }));
