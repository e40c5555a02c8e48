// The planner by HTTP: what a detector would be, before it is made.

import { requestOf } from '../../commands/createoptions.js';
import { plannedRatesOf } from '../planned.js';
import type { Route, RouteContext, RouteReply, RouteRequest } from '../route.js';
import type { PlannedDetector } from '../watch/messages.js';

async function plan({ body }: RouteRequest, { server }: RouteContext): Promise<RouteReply> {
  const request = requestOf(body);
  const settings = await server.store.planning.settingsOf(request.options);
  const { family, layout, memoryBytes } = settings;
  const planned: PlannedDetector = {
    ...{ algorithm: family.name, layout, memoryBytes },
    ...plannedRatesOf(request, settings),
  };
  return { status: 200, body: planned };
}

export const planRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/plan',
    summary: 'tells what a detector with some options would be, and makes none',
    role: 'read',
    body: {
      kind: 'options',
      help: 'the options of FS.CREATE as members, such as `{"expect-distinct": 1e7, "fpr": 1e-6}`',
    },
    replies: { 200: { help: 'its algorithm and its memory, and the rates of errors that it is planned for' } },
    run: plan,
  },
];
