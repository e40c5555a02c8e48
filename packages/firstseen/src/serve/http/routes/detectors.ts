// Routes about detectors.

import { shownValue } from '../../../base/errors.js';
import { requestOf } from '../../operations/createoptions.js';
import { clearDetector, infoOf, rateOf, statsOf } from '../../operations/detector.js';
import type { DetectorEntry } from '../../store/entry.js';
import { isPathWord } from '../../store/requestchecks.js';
import { HttpProblem, problemOf } from '../problem.js';
import type { Route, RouteContext, RouteReply, RouteRequest } from '../route.js';

export function notFound({ name }: RouteRequest): HttpProblem {
  const problem = `there is no detector ${shownValue(name)}`;
  // Clients of HTTP take these names out of a path, so no detector has them.
  const remedy = isPathWord(name) ? '' : `; make it with PUT /detectors/${encodeURIComponent(name)}`;
  return new HttpProblem('E_NOT_FOUND', `${problem}${remedy}`);
}

/** The detector that the path names. @throws HttpProblem E_NOT_FOUND */
export function entryOf(request: RouteRequest, { server }: RouteContext): DetectorEntry {
  const entry = server.store.find(request.name);
  if (entry) return entry;
  throw notFound(request);
}

function listed({ name, detector, memoryBytes }: DetectorEntry): object {
  const { observed, duplicates, settings } = detector;
  return { name, algorithm: settings.family.name, memoryBytes, observed, duplicates };
}

export function described(entry: DetectorEntry, isWithLoad = false): object {
  return { ...infoOf(entry), stats: statsOf(entry, isWithLoad) };
}

function list(_request: RouteRequest, { server }: RouteContext): RouteReply {
  return { status: 200, body: { detectors: Array.from(server.store.list(), listed) } };
}

async function put(request: RouteRequest, { server }: RouteContext): Promise<RouteReply> {
  const { name, body } = request;
  const creation = await server.store.create(name, requestOf(body)).catch((error) => {
    const { message } = problemOf(error);
    throw error.code === 'E_USAGE' && server.store.find(name) ? new HttpProblem('E_EXISTS', message) : error;
  });
  const entry = server.store.find(name) as DetectorEntry;
  const rate = entry.claims ? { falsePositiveRate: rateOf(entry) } : {};
  return { status: creation === 'created' ? 201 : 200, body: { ...infoOf(entry), ...rate } };
}

function remove(request: RouteRequest, context: RouteContext): RouteReply {
  const { name } = entryOf(request, context);
  context.server.store.drop(name);
  return { status: 204 };
}

function clear(request: RouteRequest, context: RouteContext): RouteReply {
  clearDetector(entryOf(request, context));
  return { status: 204 };
}

export const detectorRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/detectors',
    summary: 'lists the detectors',
    role: 'read',
    replies: { 200: { help: 'their names, and what each has done' } },
    run: list,
  },
  {
    method: 'GET',
    path: '/detectors/{name}',
    summary: 'tells what a detector is and what it has done',
    role: 'read',
    parameters: [
      {
        name: 'load',
        in: 'query',
        kind: 'word',
        words: ['true', 'false'],
        default: 'false',
        help: 'count the load, which reads the whole memory of the detector',
      },
    ],
    replies: { 200: { help: 'its options, the settings that follow from them, and its statistics' } },
    run: (request, context) => ({
      status: 200,
      body: described(entryOf(request, context), request.parameters.load === 'true'),
    }),
  },
  {
    method: 'PUT',
    path: '/detectors/{name}',
    summary: 'makes a detector; one with the same options may exist',
    role: 'admin',
    body: {
      kind: 'options',
      help: 'the options of FS.CREATE as members, such as `{"algorithm": "bloom", "memory": "64MiB"}`; `{"claims": true}` makes a detector for claims',
    },
    replies: {
      200: { help: 'it exists with these options' },
      201: { help: 'it was made' },
      409: { help: 'it exists with other options, which the message names' },
    },
    run: put,
  },
  {
    method: 'DELETE',
    path: '/detectors/{name}',
    summary: 'removes a detector',
    role: 'admin',
    replies: { 204: { help: 'it is removed, and its memory is free' } },
    run: remove,
  },
  {
    method: 'POST',
    path: '/detectors/{name}/clear',
    summary: 'resets a detector to the state in which it was created',
    role: 'admin',
    replies: { 204: { help: 'it has seen nothing, and claims hold nothing' } },
    run: clear,
  },
];
