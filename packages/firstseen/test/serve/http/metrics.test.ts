// The metrics, as a strict parser of the text format of Prometheus reads them. It knows nothing of the code of the server.

import { expect, onTestFinished, test, vi } from 'vitest';
import type { RateEstimate } from '../../../src/detectors/intervals.js';
import type { WitnessStats } from '../../../src/detectors/witness.js';
import { Presence } from '../../../src/serve/session.js';
import { Client } from '../support/client.js';
import { dataIn, newFolder } from '../support/folder.js';
import { ask, askJson, RawClient, withHttp } from '../support/http.js';

interface Family {
  type: string;
  help: string;
  samples: Map<string, number>;
}

const SERIES = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;

/** The families of a text. @throws Error for what the format does not allow */
function parse(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: [string, Family] | undefined;
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      if (families.has(help[1] as string)) throw new Error(`${help[1]} is there twice`);
      current = [help[1] as string, { type: '', help: help[2] as string, samples: new Map() }];
      families.set(...current);
    } else if (type) {
      if (current?.[0] !== type[1]) throw new Error(`the type of ${type[1]} is not after its help`);
      (current as [string, Family])[1].type = type[2] as string;
    } else {
      const series = SERIES.exec(line);
      if (!series || !current) throw new Error(`this is no sample: ${line}`);
      const [, name = '', labels = '', value] = series;
      const [family, { type: kind, samples }] = current;
      const suffixes = kind === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!suffixes.some((suffix) => name === `${family}${suffix}`)) throw new Error(`${name} has no family`);
      const key = `${name.slice(family.length)}{${labels}}`;
      if (samples.has(key)) throw new Error(`${line} is there twice`);
      if (Number.isNaN(Number(value))) throw new Error(`${value} is no number`);
      samples.set(key, Number(value));
    }
  }
  return families;
}

async function metricsOf(port: number): Promise<Map<string, Family>> {
  const { status, headers, text } = await ask(port, 'GET', '/metrics');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  return parse(text);
}

const bloom = { algorithm: 'bloom', memory: '1KiB' };

test('the rate of repeats that a window drops after its length is there, with its bounds', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { algorithm: 'apbf', window: 100, memory: '64KiB', witness: '32KiB' });
    // Each key comes again after 105 others, which is a little later than the window is long.
    const keys = Array.from({ length: 2100 }, (_, i) => `k${i % 105}`);
    await ask(port, 'POST', '/detectors/d/observe', { body: `${keys.join('\n')}\n`, type: 'text/plain' });
    const { json } = await ask(port, 'GET', '/detectors/d');
    const { witness } = (json as unknown as { stats: { witness: WitnessStats } }).stats;
    const { low, estimate, high } = witness.lateDuplicateRate as RateEstimate;
    expect(estimate).toBeGreaterThan(0);
    const samples = [...((await metricsOf(port)).get('firstseen_detector_error_ratio')?.samples ?? [])];
    const late = Object.fromEntries(samples.filter(([labels]) => labels.includes('late_duplicate')));
    expect(late).toEqual({
      '{detector="d",error="late_duplicate",bound="lower"}': low,
      '{detector="d",error="late_duplicate",bound="estimate"}': estimate,
      '{detector="d",error="late_duplicate",bound="upper"}': high,
    });
  }));

test('names, types and units follow the conventions', () =>
  withHttp(
    async (port) => {
      await askJson(port, 'PUT', '/detectors/d', { ...bloom, memory: '64KiB', witness: '32KiB' });
      await ask(port, 'POST', '/detectors/d/observe', { body: 'a\na\n', type: 'text/plain' });
      for (const [name, { type, help }] of await metricsOf(port)) {
        expect(name).toMatch(/^(firstseen|process)_[a-z_]+$/);
        expect(name.endsWith('_total'), name).toBe(type === 'counter');
        expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|percent)\b/);
        expect(help).toMatch(/^[A-Z].*\.$/);
      }
      const rates = (await metricsOf(port)).get('firstseen_detector_error_ratio')?.samples;
      const of = (bound: string) => rates?.get(`{detector="d",error="false_positive",bound="${bound}"}`) ?? Number.NaN;
      // The witness follows all of so few keys.
      expect([of('lower'), of('estimate'), of('upper')]).toEqual([0, 0, 0]);
    },
    { data: dataIn(newFolder(), { durability: 'always' }) },
  ));

test('detectors, requests, syncs and connections are counted', () =>
  withHttp(
    async (port, server) => {
      const name = 'a "b"\\';
      await askJson(port, 'PUT', `/detectors/${encodeURIComponent(name)}`, bloom);
      await askJson(port, 'PUT', '/detectors/c', { claims: true, memory: '64KiB' });
      await ask(port, 'POST', `/detectors/${encodeURIComponent(name)}/observe`, { body: 'x\nx\n', type: 'text/plain' });
      await askJson(port, 'POST', '/detectors/c/claim', { key: 'k' });
      await ask(port, 'GET', '/nothing');
      const client = await Client.open(server.port);
      await client.send('PING');
      const families = await metricsOf(port);
      const samples = (family: string) => Object.fromEntries(families.get(family)?.samples ?? []);
      expect(samples('firstseen_detector_observed_total')).toEqual({
        '{detector="a \\"b\\"\\\\"}': 2,
        '{detector="c"}': 0,
      });
      expect(samples('firstseen_detector_duplicates_total')).toMatchObject({ '{detector="c"}': 0 });
      expect(samples('firstseen_detector_claims_held')).toEqual({ '{detector="c"}': 1 });
      expect(samples('firstseen_detector_claims_total')['{detector="c",outcome="committed"}']).toBe(0);
      expect(samples('firstseen_detectors')).toEqual({ '{}': 2 });
      expect(samples('firstseen_ready')).toEqual({ '{}': 1 });
      expect(samples('firstseen_open_connections')).toMatchObject({ '{protocol="redis"}': 1 });
      expect(samples('firstseen_commands_total')).toEqual({ '{}': 1 });
      expect(samples('firstseen_http_requests_total')).toMatchObject({
        '{method="PUT",path="/detectors/{name}",status="201"}': 2,
        '{method="none",path="none",status="404"}': 1,
      });
      const seconds = samples('firstseen_http_request_duration_seconds');
      expect(seconds['_count{path="/detectors/{name}"}']).toBe(2);
      expect(seconds['_bucket{path="/detectors/{name}",le="+Inf"}']).toBe(2);
      const syncs = samples('firstseen_log_sync_duration_seconds');
      expect(syncs['_count{}']).toBeGreaterThan(0);
      const buckets = Object.entries(syncs).flatMap(([key, value]) => (key.startsWith('_bucket') ? [value] : []));
      expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
      client.close();
    },
    { data: dataIn(newFolder(), { durability: 'always' }) },
  ));

test('a detector tells how full its memory is, and apart from that how much of its plan has come', () =>
  withHttp(async (port, server) => {
    const client = await Client.open(server.port);
    const small = ['algorithm', 'qht', 'memory', '16KiB', 'expect-distinct', '100000'];
    await client.send('FS.CREATE', 'forgets', ...small);
    const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}`);
    await client.send('FS.ADD', 'forgets', ...keys);
    await client.send('FS.CREATE', 'window', 'algorithm', 'exactwindow', 'window', '1d', 'memory', '8KiB');
    const answers = (await client.send('FS.OBSERVE', 'window', ...keys.slice(0, 1000))) as string[];
    expect(answers.at(-1)).toContain('[E_FULL]');
    const refused = 1000 - (answers.length - 1);
    await client.send('BF.RESERVE', 'filter', '0.01', '10', 'NONSCALING');
    await client.send('BF.MADD', 'filter', ...keys.slice(0, 11));
    const families = await metricsOf(port);
    const samples = (family: string) => Object.fromEntries(families.get(family)?.samples ?? []);
    const fullness = samples('firstseen_detector_fullness_ratio');
    expect(fullness['{detector="forgets",when_full="forgets"}']).toBeGreaterThan(0.99);
    expect(fullness['{detector="window",when_full="refuses"}']).toBe(1);
    expect(fullness['{detector="filter",when_full="refuses"}']).toBe(1);
    const planned = samples('firstseen_detector_planned_ratio');
    expect(planned['{detector="forgets"}']).toBeCloseTo(0.5, 2);
    expect(planned).toMatchObject({ '{detector="filter"}': 1 });
    expect(planned).not.toHaveProperty('{detector="window"}');
    // Each reason has a series from the beginning, so that its first keys are an increase.
    expect(samples('firstseen_detector_refused_total')).toMatchObject({
      '{detector="forgets",reason="full"}': 0,
      '{detector="forgets",reason="memory"}': 0,
      '{detector="window",reason="full"}': refused,
      '{detector="filter",reason="full"}': 1,
    });
    expect(samples('firstseen_detector_planned_error_ratio')).toMatchObject({
      '{detector="filter",error="false_positive"}': 0.01,
      '{detector="filter",error="false_negative"}': 0,
      '{detector="window",error="false_negative"}': 0,
    });
    // All that tell of a detector have the same numbers by the same names.
    const stats = (await client.send('FS.STATS', 'window')) as unknown[];
    const pairs = Object.fromEntries(stats.map((name, i) => [name, stats[i + 1]]).filter((_, i) => i % 2 === 0));
    expect([Number(pairs.fullness), pairs.whenFull, pairs.refused]).toEqual([1, 'refuses', refused]);
    const { json } = await ask(port, 'GET', '/detectors/forgets');
    expect(json.stats).toMatchObject({
      fullness: expect.any(Number),
      whenFull: 'forgets',
      planned: expect.any(Number),
    });
    client.close();
  }));

test('keys are counted that any command or request was refused', () =>
  withHttp(async (port, server) => {
    const client = await Client.open(server.port);
    await askJson(port, 'PUT', '/detectors/full', { algorithm: 'exact', memory: '1KiB' });
    await askJson(port, 'PUT', '/detectors/claims', { claims: true, pending: 1, memory: '64KiB' });
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    const answers = (await client.send('FS.OBSERVE', 'full', ...keys)) as string[];
    const refused = keys.length - (answers.length - 1);
    await client.send('FS.ADD', 'full', 'new4', 'new5');
    await client.send('FS.OBSERVEID', 'full', 'id', 'new1', 'new2');
    await ask(port, 'POST', '/detectors/full/observe', { body: 'new3\n', type: 'text/plain' });
    await client.send('FS.CLAIM', 'claims', 'a');
    await client.send('FS.CLAIM', 'claims', 'b');
    await askJson(port, 'POST', '/detectors/claims/claim', { key: 'c' });
    const counted = Object.fromEntries((await metricsOf(port)).get('firstseen_detector_refused_total')?.samples ?? []);
    expect(counted).toMatchObject({
      '{detector="full",reason="full"}': refused + 5,
      '{detector="claims",reason="full"}': 0,
      '{detector="claims",reason="claims_full"}': 2,
    });
    client.close();
  }));

test('each command has a time, those of a pipeline equal shares, and none has that of its wait for a claim', () =>
  withHttp(async (port, server) => {
    const [client, other] = [await Client.open(server.port), await Client.open(server.port)];
    let clock = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const waits = vi.spyOn(Presence.prototype, 'whenGone');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    await client.send('FS.CREATE', 'd', 'memory', '64KiB');
    await client.send('FS.CREATE', 'c', 'claims', 'memory', '64KiB');
    client.socket.write('PING\r\n'.repeat(1000));
    await client.take(1000);
    await other.send('FS.CLAIM', 'c', 'k', 'TOKEN', 't', 'LEASE', '1h');
    const waiting = client.send('FS.CLAIM', 'c', 'k', 'WAIT', '1h');
    await expect.poll(() => waits.mock.calls.length).toBe(1);
    clock += 20_000;
    await other.send('FS.ABORT', 'c', 'k', 't');
    await waiting;
    const families = await metricsOf(port);
    const seconds = Object.fromEntries(families.get('firstseen_command_duration_seconds')?.samples ?? []);
    const { '{}': commands } = Object.fromEntries(families.get('firstseen_commands_total')?.samples ?? []);
    expect([seconds['_count{}'], commands]).toEqual([1005, 1005]);
    expect(seconds['_bucket{le="+Inf"}']).toBe(1005);
    expect(seconds['_sum{}']).toBe(0);
    client.close();
    other.close();
  }));

test('an error to each of several commands counts, also about a detector that there is not', () =>
  withHttp(async (port, server) => {
    const client = await Client.open(server.port);
    await client.send('FS.CREATE', 'c', 'claims', 'memory', '64KiB');
    client.socket.write('FS.OBSERVE none a\r\n'.repeat(3) + 'BF.ADD c a\r\n'.repeat(2));
    await client.take(5);
    const errors = (await metricsOf(port)).get('firstseen_command_errors_total')?.samples;
    expect(errors?.get('{}')).toBe(5);
    client.close();
  }));

test('a request whose client has left is not counted as answered, and a page that is closed is', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', bloom);
    const head =
      'POST /detectors/d/observe HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n';
    const leaving = await Client.open(port);
    leaving.socket.write(`${head}cut`);
    const watching = await Client.open(port);
    watching.socket.write('GET /page/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await new Promise((resolve) => watching.socket.once('data', resolve));
    for (const { socket } of [leaving, watching]) socket.resetAndDestroy();
    const counted = async () =>
      Object.fromEntries((await metricsOf(port)).get('firstseen_http_requests_total')?.samples ?? []);
    await expect.poll(counted).toMatchObject({
      '{method="POST",path="/detectors/{name}/observe",status="499"}': 1,
      '{method="GET",path="/page/events",status="200"}': 1,
    });
  }));

test('the first 200 detectors have series of their own, and the rest are summed', () =>
  withHttp(
    async (port) => {
      // Its name is that of the sums, so it is among them.
      await askJson(port, 'PUT', '/detectors/_others', bloom);
      for (let i = 0; i < 202; i++) await askJson(port, 'PUT', `/detectors/d${i}`, bloom);
      for (const name of ['d0', 'd200', 'd201', '_others']) {
        await ask(port, 'POST', `/detectors/${name}/observe`, { body: 'x\nx\n', type: 'text/plain' });
      }
      const observed = (await metricsOf(port)).get('firstseen_detector_observed_total')?.samples;
      expect(observed?.size).toBe(201);
      expect(observed?.get('{detector="d0"}')).toBe(2);
      expect(observed?.get('{detector="_others"}')).toBe(6);
    },
    { maxDetectors: 1000 },
  ));

test('a token is needed where tokens are', () =>
  withHttp(
    async (port) => {
      expect((await ask(port, 'GET', '/metrics')).status).toBe(401);
    },
    { authenticate: () => undefined },
  ));

test('connections beyond the most are counted, of each protocol', () =>
  withHttp(
    async (httpPort, { port }) => {
      const client = await Client.open(port);
      const refused = await Client.open(port);
      expect(await refused.next()).toBe('-ERR max number of clients reached');
      client.close();
      const kept = await RawClient.open(httpPort);
      await (await RawClient.open(httpPort)).untilEnd();
      kept.socket.write('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
      await kept.untilEnd();
      const counts = kept.received.match(/^firstseen_refused_connections_total.*$/gm);
      expect(counts).toEqual([
        'firstseen_refused_connections_total{protocol="redis"} 1',
        'firstseen_refused_connections_total{protocol="http"} 1',
      ]);
    },
    { maxConnections: 1 },
  ));
