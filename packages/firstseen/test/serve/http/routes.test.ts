// Every route of the table succeeds and fails at least once, and openapi.json describes it.

import { expect, test } from 'vitest';
import { create, save } from '../../../src/index.js';
import { routes } from '../../../src/serve/http/routes.js';
import { serve } from '../../../src/serve/server.js';
import { EventReader } from '../support/events.js';
import { ask, askJson, type HttpReply, withHttp } from '../support/http.js';
import { testServer } from '../support/server.js';

type Asking = (port: number) => Promise<HttpReply>;

/** What a route is asked, and the status. */
interface Example {
  success: [ask: Asking, status: number];
  failure: [ask: Asking, status: number];
}

const lines = { body: 'a\n', type: 'text/plain' };
const claim = { key: 'k', token: 't' };
const get =
  (path: string): Asking =>
  (port) =>
    ask(port, 'GET', path);
const post = (path: string, body?: object): Asking => {
  return (port) => (body ? askJson(port, 'POST', path, body) : ask(port, 'POST', path));
};
const send =
  (path: string): Asking =>
  (port) =>
    ask(port, 'POST', path, lines);

const sendSnapshot =
  (name: string): Asking =>
  async (port) => {
    const body = await save(await create({ memory: '64KiB' }));
    return ask(port, 'PUT', `/detectors/${name}/snapshot`, { body, type: 'application/octet-stream' });
  };

/** A stream that does not end. */
async function firstEvent(port: number): Promise<HttpReply> {
  const reader = await EventReader.open(port, '');
  const { statusCode: status = 0, headers } = reader.reply;
  const text = JSON.stringify(await reader.next());
  reader.close();
  return { status, headers, text, json: JSON.parse(text) };
}

/** The detector `d` and the detector for claims `c` exist; `none` does not. */
const examples: Readonly<Record<string, Example>> = {
  'GET /openapi.json': { success: [get('/openapi.json'), 200], failure: [get('/openapi.json?x=1'), 400] },
  'GET /livez': { success: [get('/livez'), 200], failure: [get('/livez?x=1'), 400] },
  'GET /readyz': { success: [get('/readyz'), 200], failure: [get('/readyz?x=1'), 400] },
  'GET /metrics': { success: [get('/metrics'), 200], failure: [get('/metrics?x=1'), 400] },
  'POST /plan': { success: [post('/plan', { memory: '64KiB' }), 200], failure: [post('/plan', { memroy: 1 }), 400] },
  'GET /': { success: [get('/'), 200], failure: [get('/?x=1'), 400] },
  'GET /page/main.js': { success: [get('/page/main.js'), 200], failure: [get('/page/main.js?x=1'), 400] },
  'GET /page/style.css': { success: [get('/page/style.css'), 200], failure: [get('/page/style.css?x=1'), 400] },
  'GET /page/icon.svg': { success: [get('/page/icon.svg'), 200], failure: [get('/page/icon.svg?x=1'), 400] },
  'GET /page/events': { success: [firstEvent, 200], failure: [get('/page/events?limit=0'), 400] },
  'GET /detectors': { success: [get('/detectors'), 200], failure: [get('/detectors?x=1'), 400] },
  'GET /detectors/{name}': { success: [get('/detectors/d'), 200], failure: [get('/detectors/none'), 404] },
  'PUT /detectors/{name}': {
    success: [(port) => askJson(port, 'PUT', '/detectors/new', { memory: '64KiB' }), 201],
    failure: [(port) => askJson(port, 'PUT', '/detectors/d', { memory: '1MiB' }), 409],
  },
  'DELETE /detectors/{name}': {
    success: [(port) => ask(port, 'DELETE', '/detectors/d'), 204],
    failure: [(port) => ask(port, 'DELETE', '/detectors/none'), 404],
  },
  'GET /detectors/{name}/snapshot': {
    success: [get('/detectors/d/snapshot'), 200],
    failure: [get('/detectors/none/snapshot'), 404],
  },
  'PUT /detectors/{name}/snapshot': {
    success: [sendSnapshot('sent'), 201],
    failure: [sendSnapshot('d'), 409],
  },
  'POST /detectors/{name}/clear': {
    success: [post('/detectors/d/clear'), 204],
    failure: [post('/detectors/none/clear'), 404],
  },
  'POST /detectors/{name}/observe': {
    success: [send('/detectors/d/observe'), 200],
    failure: [send('/detectors/d/observe?emit=all'), 400],
  },
  'POST /detectors/{name}/test': {
    success: [send('/detectors/d/test'), 200],
    failure: [post('/detectors/d/test', {}), 415],
  },
  'POST /detectors/{name}/claim': {
    success: [post('/detectors/c/claim', claim), 200],
    failure: [post('/detectors/d/claim', claim), 409],
  },
  'POST /detectors/{name}/commit': {
    success: [post('/detectors/c/commit', claim), 200],
    failure: [post('/detectors/c/commit', {}), 400],
  },
  'POST /detectors/{name}/abort': {
    success: [post('/detectors/c/abort', claim), 200],
    failure: [post('/detectors/none/abort', claim), 404],
  },
  'POST /detectors/{name}/extend': {
    success: [post('/detectors/c/extend', claim), 200],
    failure: [post('/detectors/d/extend', claim), 409],
  },
};

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('each route has examples', () => {
  expect(Object.keys(examples).sort()).toEqual(routes.map(nameOf).sort());
});

test.each(Object.entries(examples))('%s succeeds and fails', (_name, { success, failure }) =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
    await askJson(port, 'PUT', '/detectors/c', { claims: true, memory: '64KiB' });
    const failed = await failure[0](port);
    expect([failed.status, failed.headers['content-type']]).toEqual([failure[1], 'application/problem+json']);
    expect(failed.json).toMatchObject({ status: failure[1], code: expect.stringMatching(/^E_[A-Z_]+$/) });
    const { status } = await success[0](port);
    expect(status).toBe(success[1]);
  }),
);

test.each(routes.filter(({ role }) => role !== 'none').map((route) => [nameOf(route), route] as const))(
  '%s needs its role',
  async (_name, { method, path, role }) => {
    const roles = ['read', 'observe', 'admin'] as const;
    const server = await serve({
      ...{ ...testServer, httpPort: 0 },
      authenticate: (_user, password) => roles.find((one) => one === password),
    });
    const status = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      // The parameter is wrong, so that a stream which does not end is not begun.
      const target = `${path.replace('{name}', 'none')}?x=1`;
      return (await ask(server.httpPort as number, method, target, { headers })).status;
    };
    for (const token of roles) {
      const isAllowed = roles.indexOf(token) >= roles.indexOf(role as (typeof roles)[number]);
      expect((await status(token)) === 403, token).toBe(!isAllowed);
    }
    await server.close();
  },
);

interface Described {
  parameters?: { name: string; in: string; schema: object }[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; $ref?: string; content?: Content }>;
}

/** Schemas of bodies by their types. */
type Content = Record<string, { schema?: { type?: string } }>;

test('openapi.json describes each route, and what it refers to is there', () =>
  withHttp(async (port) => {
    const { json, text } = await ask(port, 'GET', '/openapi.json');
    const { paths, components, openapi, info } = json as unknown as {
      openapi: string;
      info: { version: string };
      paths: Record<string, Record<string, Described>>;
      components: { responses: Record<string, object> };
    };
    expect([openapi, info.version]).toEqual(['3.1.0', '1.2.3']);
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        path,
        operation,
      })),
    );
    expect(described.map(({ name }) => name).sort()).toEqual(routes.map(nameOf).sort());
    for (const { path, operation } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const parameters = operation.parameters ?? [];
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
      const replies = Object.entries(operation.responses);
      for (const [status, { description, $ref, content }] of replies) {
        expect(description ?? $ref).toBeDefined();
        if (Number(status) >= 400) expect(content?.['application/json']).toBeUndefined();
      }
      // Programs that write clients leave out a body that has no schema.
      const contents = [operation.requestBody, ...replies.map(([, reply]) => reply)].flatMap(
        (one) => one?.content ?? [],
      );
      for (const { schema } of contents.flatMap(Object.values)) expect(schema.type).toBeDefined();
    }
    for (const [, reference = ''] of text.matchAll(/"\$ref":"#\/components\/responses\/(\w+)"/g)) {
      expect(components.responses).toHaveProperty(reference);
    }
  }));
