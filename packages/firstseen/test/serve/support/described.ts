// Compares replies with openapi.json: a client that is written from the document must be able to read them.

import type { IncomingHttpHeaders } from 'node:http';
import { openApiOf } from '../../../src/serve/http/openapi.js';
import { routes } from '../../../src/serve/http/routes.js';

interface Schema {
  type?: string;
  properties?: Record<string, { type?: string }>;
  required?: readonly string[];
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema: Schema }>;
}

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

const document = openApiOf(routes, '1.2.3') as OpenApi;

/** The responses that the document has for a request; undefined if it has no such route. */
function responsesFor(method: string, target: string): Record<string, Response> | undefined {
  const parts = target.replace(/\?.*$/s, '').split('/');
  const isSame = (path: string) => {
    const others = path.split('/');
    return others.length === parts.length && others.every((part, i) => part === '{name}' || part === parts[i]);
  };
  const operations = Object.entries(document.paths).flatMap(([path, methods]) => (isSame(path) ? [methods] : []));
  return operations.flatMap((methods) => methods[method.toLowerCase()] ?? [])[0]?.responses;
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function fitsType(value: unknown, type: string | undefined): boolean {
  return type === 'integer' ? Number.isInteger(value) : type === typeOf(value);
}

function differencesOf(text: string, schema: Schema): string[] {
  const value: unknown = JSON.parse(text);
  if (!fitsType(value, schema.type)) return [`the body is of the type ${typeOf(value)}, not ${schema.type}`];
  const { properties, required = [] } = schema;
  if (properties === undefined) return [];
  const body = value as Record<string, unknown>;
  return [
    ...required.filter((name) => !(name in body)).map((name) => `the property ${name} is missing`),
    ...Object.entries(body)
      .filter(([name, property]) => !fitsType(property, properties[name]?.type))
      .map(([name]) => `the property ${name} has another type, or is not described`),
  ];
}

/** Returns the parts of a reply that openapi.json does not describe. */
export function undescribed(
  { method, path }: { method: string; path: string },
  { status, headers, text }: { status: number; headers: IncomingHttpHeaders; text: string },
): string[] {
  const responses = responsesFor(method, path);
  if (responses === undefined) return [];
  const response = responses[status] ?? (status >= 400 ? responses.default : undefined);
  if (response === undefined) return [`the status ${status} is not described`];
  const { content } = response.$ref
    ? (document.components.responses[response.$ref.replace(/.*\//, '')] ?? {})
    : response;
  const type = headers['content-type']?.replace(/;.*/, '');
  if (type === undefined) return content === undefined ? [] : ['a type of the body is described, and there is none'];
  const schema = content?.[type]?.schema;
  if (schema === undefined) return [`the type ${type} of the body is not described`];
  return /json$/.test(type) && type !== 'application/x-ndjson' ? differencesOf(text, schema) : [];
}
