// Routes that move detectors, from one server to another and to and from files.

import type { ServerResponse } from 'node:http';
import { FirstseenError, shownValue } from '../../../base/errors.js';
import { infoOf } from '../../operations/detector.js';
import { checkBodyType, refuseCompressed } from '../checks.js';
import { HttpProblem, problemOf } from '../problem.js';
import { send } from '../reply.js';
import type { Route, RouteContext, RouteRequest } from '../route.js';
import { untilChangeable } from '../safety.js';
import { SNAPSHOT_TYPE, sendSnapshot } from '../snapshots/download.js';
import { receiveSnapshot } from '../snapshots/upload.js';
import { entryOf } from './detectors.js';

async function get(request: RouteRequest, context: RouteContext, response: ServerResponse): Promise<void> {
  const entry = entryOf(request, context);
  const hasBody = request.incoming.method !== 'HEAD';
  if (await sendSnapshot(entry, context.server, response, hasBody)) return;
  throw new HttpProblem('E_NOT_FOUND', `the detector ${shownValue(request.name)} was removed`);
}

/** The problem of an error, E_EXISTS for a name that a detector has. */
function refusal(error: unknown, isTaken: boolean): unknown {
  const isUsage = error instanceof FirstseenError && error.code === 'E_USAGE';
  return isUsage && isTaken ? new HttpProblem('E_EXISTS', problemOf(error).message) : error;
}

async function put(request: RouteRequest, { server }: RouteContext, response: ServerResponse): Promise<void> {
  const { name, incoming } = request;
  checkBodyType(incoming, [SNAPSHOT_TYPE]);
  refuseCompressed(incoming);
  try {
    server.store.checkFree(name);
    await untilChangeable(server, 0);
    request.accept();
    const entry = await receiveSnapshot(name, incoming, server);
    send(response, { status: 201, body: infoOf(entry) });
  } catch (error) {
    // A client that has gone is told nothing.
    if (incoming.destroyed && !incoming.complete) return;
    throw refusal(error, server.store.find(name) !== undefined);
  }
}

export const snapshotRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/detectors/{name}/snapshot',
    summary: 'returns the snapshot of a detector, with its claims, its request ids, and the secret of a keyed detector',
    role: 'admin',
    replies: { 200: { help: 'the snapshot, as `load` of the library takes it', types: [SNAPSHOT_TYPE] } },
    stream: get,
  },
  {
    method: 'PUT',
    path: '/detectors/{name}/snapshot',
    summary: 'imports a detector from its snapshot',
    role: 'admin',
    body: {
      kind: 'stream',
      types: [SNAPSHOT_TYPE],
      help: 'a snapshot of this route, of `save` of the library, or a state of the command',
    },
    replies: {
      201: { help: 'it was imported, and is on the disk' },
      409: { help: 'there is a detector of this name' },
    },
    stream: put,
  },
];
