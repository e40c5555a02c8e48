// The description of the routes as OpenAPI 3.1, from their rows.

import { bodyTypesOf, type FieldRow, isChanging, type ParameterRow, type ReplyRow, type Route } from './route.js';

const [NO_CONTENT, FIRST_ERROR] = [204, 400];
const PROBLEM = { $ref: '#/components/responses/Problem' };

type Schema = Readonly<Record<string, unknown>>;

function schemaOf({ kind, words, default: value }: ParameterRow): Schema {
  if (kind === 'texts') return { type: 'array', items: { type: 'string' } };
  return { type: 'string', ...(words ? { enum: words } : {}), ...(value === undefined ? {} : { default: value }) };
}

function parameterOf(row: ParameterRow): object {
  return { name: row.name, in: row.in, description: row.help, schema: schemaOf(row) };
}

function fieldSchema({ type, help }: FieldRow): Schema {
  const types = type.split(' or ');
  return { type: types.length === 1 ? types[0] : types, description: help };
}

/**
 * Returns the schema of a body of which only the type is known. Programs that write clients leave out one without a
 * schema.
 */
function schemaOfType(type: string): Schema {
  if (type === 'application/json') return { type: 'object' };
  return type === 'application/octet-stream' ? { type: 'string', format: 'binary' } : { type: 'string' };
}

function bodySchema({ body }: Route, type: string): Schema {
  if (body?.kind === 'options') return { type: 'object', description: body.help };
  if (body?.kind !== 'json') return schemaOfType(type);
  return {
    type: 'object',
    properties: Object.fromEntries(body.fields.map((field) => [field.name, fieldSchema(field)])),
    required: body.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function requestBody(route: Route): object {
  const { body } = route;
  if (body === undefined) return {};
  const content = Object.fromEntries(bodyTypesOf(body).map((type) => [type, { schema: bodySchema(route, type) }]));
  const description = 'help' in body ? { description: body.help } : {};
  return { requestBody: { ...description, required: body.kind !== 'options', content } };
}

function responseOf(status: number, { help, types }: ReplyRow): object {
  if (status === NO_CONTENT) return { description: help };
  if (status >= FIRST_ERROR && types === undefined) return { ...problem, description: help };
  const content = (types ?? ['application/json']).map((type) => [type, { schema: schemaOfType(type) }]);
  return { description: help, content: Object.fromEntries(content) };
}

function responsesOf({ replies, path }: Route): object {
  const described = Object.entries(replies).map(([status, reply]) => [status, responseOf(Number(status), reply)]);
  const missing = path.includes('{') ? { 404: PROBLEM } : {};
  return { ...Object.fromEntries(described), ...missing, default: PROBLEM };
}

const nameParameter = {
  name: 'name',
  in: 'path',
  required: true,
  description: 'the name of the detector',
  schema: { type: 'string' },
};

function operationOf(route: Route): object {
  const { summary, role, path, parameters = [] } = route;
  const all = [...(path.includes('{name}') ? [nameParameter] : []), ...parameters.map(parameterOf)];
  return {
    summary,
    description: `Role: ${role}.${isChanging(route) ? ' The reply comes once the change is as safe as the durability of the server says.' : ''}`,
    ...(role === 'none' ? {} : { security: [{}, { token: [] }] }),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...requestBody(route),
    responses: responsesOf(route),
  };
}

function pathsOf(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const methods = paths[route.path] ?? {};
    methods[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = methods;
  }
  return paths;
}

const problem = {
  description: 'why the request failed (RFC 9457)',
  content: {
    'application/problem+json': {
      schema: {
        type: 'object',
        properties: {
          title: { type: 'string' },
          status: { type: 'integer' },
          detail: { type: 'string', description: 'what is wrong, and what to do' },
          code: { type: 'string', description: 'a code that does not change between releases' },
          counts: { type: 'object', description: 'what became of the records before the error' },
          reply: { type: 'string', description: 'the reply to these records, which were observed' },
          replyBase64: { type: 'string', description: 'the same in base64, in place of `reply`, if it is not UTF-8' },
        },
        required: ['title', 'status', 'detail', 'code'],
      },
    },
  },
};

export function openApiOf(routes: readonly Route[], version: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'firstseen', version, description: 'Detectors that tell whether a key was seen, in fixed memory.' },
    paths: pathsOf(routes),
    components: {
      responses: { Problem: problem },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Needed if the server has tokens.' } },
    },
  };
}
