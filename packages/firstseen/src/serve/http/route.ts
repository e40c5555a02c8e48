// The contract of a route: one row has all that there is to say of it. The checks of requests, openapi.json and the documentation follow.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientMemory } from '../clientmemory.js';
import type { Role, ServerState } from '../session.js';
import type { HttpCounts } from './counts.js';
import type { SharedScanner } from './scanner.js';
import type { Departures } from './waits.js';

/** A parameter in the query, or a header. */
export interface ParameterRow {
  readonly name: string;
  readonly in: 'query' | 'header';
  /** `texts` may be given several times. */
  readonly kind: 'text' | 'texts' | 'word';
  readonly words?: readonly string[];
  readonly default?: string;
  readonly help: string;
}

/** A member of a JSON body. */
export interface FieldRow {
  readonly name: string;
  readonly type: 'string' | 'number or string';
  readonly isRequired?: true;
  readonly help: string;
}

/** The body that a route takes. JSON is read as a whole; records and snapshots are read by the route. */
export type BodyRow =
  | { readonly kind: 'json'; readonly fields: readonly FieldRow[] }
  /** The options of a detector, whose names the route checks. */
  | { readonly kind: 'options'; readonly help: string }
  | { readonly kind: 'stream'; readonly types: readonly string[]; readonly help: string };

export interface ReplyRow {
  readonly help: string;
  /** `application/json` by default. */
  readonly types?: readonly string[];
}

/** The contents of a request, once it is checked. */
export interface RouteRequest {
  /** The name of the detector in the path. */
  readonly name: string;
  /** Parameters, with their defaults. */
  readonly parameters: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The members of a JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly incoming: IncomingMessage;
  /** Tells a client that waits for it to send the body. */
  accept(): void;
}

/** The limits of a body that is read as a whole. */
export interface WholeLimits {
  bytes: number;
  /** For the whole body to come. */
  milliseconds: number;
  /** For the bodies of all clients together. */
  memory: ClientMemory;
}

/** The objects and limits that routes use. */
export interface RouteContext {
  readonly server: ServerState;
  readonly counts: HttpCounts;
  readonly departures: Departures;
  /** The limits of bodies that are read as a whole. */
  readonly whole: WholeLimits;
  /** The scanner of records, which is made when it is first asked for. */
  scanner(): Promise<SharedScanner>;
}

export interface RouteReply {
  readonly status: number;
  /** An object is JSON, unless it is bytes. Left out, there is no body. */
  readonly body?: object | string | Uint8Array;
  /** The type of a text or of bytes. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface NamedRoute {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` is a detector. */
  readonly path: string;
  readonly summary: string;
  readonly role: Role;
  readonly parameters?: readonly ParameterRow[];
  readonly body?: BodyRow;
  readonly replies: Readonly<Record<number, ReplyRow>>;
  /** True if it answers while the data folder is read, and while the server stops. */
  readonly isAlways?: true;
}

/** A route that answers as a whole, once what it changed is safe. */
export interface WholeRoute extends NamedRoute {
  run(request: RouteRequest, context: RouteContext): RouteReply | Promise<RouteReply>;
}

/** A route that writes its reply itself. What it throws before that is answered. */
export interface StreamingRoute extends NamedRoute {
  stream(request: RouteRequest, context: RouteContext, response: ServerResponse): Promise<void>;
}

export type Route = WholeRoute | StreamingRoute;

/** Tells if a route changes detectors, and so the log. */
export function isChanging({ role, method }: Route): boolean {
  return method !== 'GET' && (role === 'observe' || role === 'admin');
}

/** The types of a body. */
export function bodyTypesOf(body: BodyRow): readonly string[] {
  return body.kind === 'stream' ? body.types : ['application/json'];
}
