// Routes about detectors.

import { shownValue } from '../../../base/errors.js';
import { infoOf, statsOf } from '../../commands/describe.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { HttpProblem } from '../problem.js';
import type { Route, RouteReply, RouteRequest } from '../route.js';

/** The detector that the path names. @throws HttpProblem E_NOT_FOUND */
export function entryOf({ name }: RouteRequest, { store }: ServerState): DetectorEntry {
  const entry = store.find(name);
  if (entry) return entry;
  throw new HttpProblem(
    'E_NOT_FOUND',
    `there is no detector ${shownValue(name)}; make it with PUT /detectors/${encodeURIComponent(name)}`,
  );
}

function listed({ name, detector, memoryBytes }: DetectorEntry): object {
  const { observed, duplicates, settings } = detector;
  return { name, algorithm: settings.family.name, memoryBytes, observed, duplicates };
}

export function described(entry: DetectorEntry, isWithLoad = false): object {
  return { ...infoOf(entry), stats: statsOf(entry, isWithLoad) };
}

function list(_request: RouteRequest, { store }: ServerState): RouteReply {
  return { status: 200, body: { detectors: Array.from(store.list(), listed) } };
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
    replies: { 200: { help: 'its options, what they came to, and its statistics' } },
    run: (request, server) => ({
      status: 200,
      body: described(entryOf(request, server), request.parameters.load === 'true'),
    }),
  },
];
