// Routes that make, clear and remove detectors.

import { expect, test } from 'vitest';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { ask, askJson, withHttp } from '../support/http.js';

const bloom = { algorithm: 'bloom', memory: '64KiB' };

/** The status and the code of a problem, and its text. */
async function problemOf(reply: ReturnType<typeof ask>): Promise<[number, string, string]> {
  const { status, json } = await reply;
  const { code, detail } = json as unknown as { code: string; detail: string };
  return [status, code, detail];
}

test('a detector is made once, and one with other options is a conflict that names them', () =>
  withHttp(async (port) => {
    const made = await askJson(port, 'PUT', '/detectors/d', bloom);
    expect([made.status, made.json]).toEqual([201, expect.objectContaining({ name: 'd', memoryBytes: 65536 })]);
    expect((await askJson(port, 'PUT', '/detectors/d', { MEMORY: 65536, algorithm: 'bloom' })).status).toBe(200);
    expect(await problemOf(askJson(port, 'PUT', '/detectors/d', { ...bloom, memory: '1MiB' }))).toEqual([
      409,
      'E_EXISTS',
      expect.stringMatching(/memory is 65536, not 1048576/),
    ]);
    expect((await ask(port, 'PUT', '/detectors/plain')).status).toBe(201);
  }));

test('options are lists, objects, numbers, texts and truth values', () =>
  withHttp(async (port) => {
    const options = { ...bloom, seed: 7, keyed: true, param: ['k=5'], witness: '32KiB' };
    const { json } = await askJson(port, 'PUT', '/detectors/d', options);
    expect(json).toMatchObject({ seed: '7', keyed: true, parameters: { k: 5 } });
    expect((await askJson(port, 'PUT', '/detectors/e', { ...bloom, keyed: false })).json).toMatchObject({
      keyed: false,
    });
    const problem = (options: object) => problemOf(askJson(port, 'PUT', '/detectors/x', options));
    expect(await problem({ algoritm: 'bloom' })).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/"algoritm" is not an option/),
    ]);
    expect(await problem({ keyed: 'yes' })).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/keyed is "yes", but must be true or false/),
    ]);
    expect(await problem({ claims: 'true' })).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/claims is "true", but must be true or false/),
    ]);
    // JSON reads it as 9007199254740992.
    const rounded = { body: '{"memory":"1KiB","seed":9007199254740993}', type: 'application/json' };
    expect(await problemOf(ask(port, 'PUT', '/detectors/x', rounded))).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/seed is a number above 2\^53, which JSON may have rounded; give it as a text, in quotes/),
    ]);
    const exact = await askJson(port, 'PUT', '/detectors/exact', { ...bloom, seed: '9007199254740993' });
    expect(exact.json).toMatchObject({ seed: '9007199254740993' });
    expect(await problemOf(ask(port, 'GET', '/detectors/..'))).toEqual([
      404,
      'E_NOT_FOUND',
      'there is no detector ".."',
    ]);
    expect(await problem({ memory: '1KiB', Memory: '2KiB' })).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/MEMORY is given twice/),
    ]);
    const twice = { body: '{"memory":"1KiB","memory":"2KiB"}', type: 'application/json' };
    expect(await problemOf(ask(port, 'PUT', '/detectors/x', twice))).toEqual([
      400,
      'E_REQUEST',
      expect.stringMatching(/the body has "memory" twice/),
    ]);
    expect(await problem({ memory: null })).toEqual([
      400,
      'E_USAGE',
      expect.stringMatching(/memory is null, but must be/),
    ]);
    expect(await problem({ fpr: 2 })).toEqual([400, 'E_PARAMETER', expect.stringMatching(/fpr is 2/)]);
    expect(await problem({ algorithm: 'sqf' })).toEqual([
      400,
      'E_PARAMETER',
      expect.stringMatching(/^sqf without a rate .* give fpr 1e-3, or its parameters/),
    ]);
    expect(await problem({ memory: '1TiB' })).toEqual([400, 'E_MEMORY', expect.any(String)]);
    expect(await problem({ memory: '255MiB', algorithm: 'bloom', lease: '1s' })).toEqual([
      400,
      'E_USAGE',
      expect.any(String),
    ]);
  }));

test('a body that is not an object of JSON is refused', () =>
  withHttp(async (port) => {
    const problem = (body: string, type = 'application/json') =>
      problemOf(ask(port, 'PUT', '/detectors/d', { body, type }));
    expect(await problem('[]')).toEqual([400, 'E_REQUEST', expect.stringMatching(/not a JSON object/)]);
    expect(await problem('{')).toEqual([400, 'E_REQUEST', expect.stringMatching(/not JSON/)]);
    expect(await problem('{}', 'text/plain')).toEqual([415, 'E_BODY_TYPE', expect.stringMatching(/application\/json/)]);
    expect(await problem(`{"a":"${'x'.repeat(2 ** 20)}"}`)).toEqual([413, 'E_BODY_SIZE', expect.any(String)]);
    expect((await ask(port, 'GET', '/detectors')).json).toEqual({ detectors: [] });
  }));

test('a detector for claims tells its rate of false positives', () =>
  withHttp(async (port) => {
    const { json } = await askJson(port, 'PUT', '/detectors/d', { claims: true, lease: 1000, memory: '1MiB' });
    expect(json).toMatchObject({ algorithm: 'exact', falsePositiveRate: expect.any(Number) });
  }));

test('a detector is cleared and removed', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', bloom);
    await ask(port, 'POST', '/detectors/d/observe', { body: 'a\n', type: 'text/plain' });
    expect((await ask(port, 'POST', '/detectors/d/clear')).status).toBe(204);
    expect((await ask(port, 'GET', '/detectors/d')).json).toMatchObject({ stats: { observed: 0 } });
    expect((await ask(port, 'DELETE', '/detectors/d')).status).toBe(204);
    for (const [method, path] of [
      ['DELETE', '/detectors/d'],
      ['POST', '/detectors/d/clear'],
    ] as const) {
      expect(await problemOf(ask(port, method, path))).toEqual([404, 'E_NOT_FOUND', expect.any(String)]);
    }
  }));

test('what was answered is there after a kill', async () => {
  const folder = newFolder();
  let killed = '';
  await withHttp(
    async (port) => {
      await askJson(port, 'PUT', '/detectors/d', bloom);
      await askJson(port, 'PUT', '/detectors/e', bloom);
      await ask(port, 'DELETE', '/detectors/e');
      await ask(port, 'POST', '/detectors/d/observe', { body: 'a\nb\n', type: 'text/plain' });
      killed = killedNow(folder);
    },
    { data: dataIn(folder) },
  );
  await withHttp(
    async (port) => {
      const { text } = await ask(port, 'POST', '/detectors/d/test', { body: 'a\nb\nc\n', type: 'text/plain' });
      expect(text).toBe('duplicate\nduplicate\ndistinct\n');
      expect((await ask(port, 'GET', '/detectors/e')).status).toBe(404);
    },
    { data: dataIn(killed) },
  );
});
