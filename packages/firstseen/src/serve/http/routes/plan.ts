// The planner by HTTP: what a detector would be, before it is made.

import { requestOf } from '../../operations/createoptions.js';
import { plannedRatesOf, predictionOf } from '../planned.js';
import type { Route, RouteContext, RouteReply, RouteRequest } from '../route.js';
import type { PlannedDetector } from '../watch/messages.js';

async function plan({ body }: RouteRequest, { server }: RouteContext): Promise<RouteReply> {
  const request = requestOf(body);
  const settings = await server.store.planning.settingsOf(request.options);
  const { family, layout, memoryBytes } = settings;
  const task = predictionOf(request, settings);
  const predicted = (task && (await server.store.planning.predict(task))) ?? null;
  const planned: PlannedDetector = {
    ...{ algorithm: family.name, layout, memoryBytes },
    ...plannedRatesOf(request, settings),
    predicted,
  };
  return { status: 200, body: planned };
}

export const planRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/plan',
    summary: 'plans a detector from options, and makes none',
    role: 'read',
    body: {
      kind: 'options',
      help: 'the options of FS.CREATE as members, such as `{"expect-distinct": 1e7, "fpr": 1e-6}`',
    },
    replies: {
      200: {
        help: 'its algorithm, its memory, the error rates that it is planned for, and those predicted for the expected stream',
      },
    },
    run: plan,
  },
];
