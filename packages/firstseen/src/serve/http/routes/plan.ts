// The planner by HTTP: what a detector would be, before it is made.

import type { DetectorSettings } from '../../../detectors/settings.js';
import { type CreateOptions, isPlanned } from '../../../plan/keys.js';
import { adviceOptionsOf } from '../../commands/advice.js';
import { requestOf } from '../../commands/createoptions.js';
import type { Planning } from '../../planning/planning.js';
import { plannedFprOf } from '../planned.js';
import type { Route, RouteContext, RouteReply, RouteRequest } from '../route.js';
import type { PlannedDetector } from '../watch/messages.js';

/** What the planner recommends, as far as it is used here. */
interface Recommended {
  algorithm: string;
  prediction: { fpr: number; fnr: number };
}

/** The rates over the stream that is described; null if it is not described, or the time decides and not the stream. */
async function predictionOf(
  { witness: _, ...options }: CreateOptions,
  settings: DetectorSettings,
  planning: Planning,
): Promise<PlannedDetector['prediction']> {
  const hints = [options.distinctElements, options.lengthElements, options.gapsElements];
  const isDescribed = hints.some((hint) => hint !== undefined);
  if (!isDescribed || settings.parameters.isTimed || !isPlanned(options)) return null;
  const { algorithm, prediction } = (await planning.recommend(adviceOptionsOf(options))) as Recommended;
  return algorithm === settings.family.name ? { fpr: prediction.fpr, fnr: prediction.fnr } : null;
}

async function plan({ body }: RouteRequest, { server }: RouteContext): Promise<RouteReply> {
  const { planning } = server.store;
  const request = requestOf(body);
  const settings = await planning.settingsOf(request.options);
  const { family, layout, memoryBytes } = settings;
  const planned: PlannedDetector = {
    ...{ algorithm: family.name, layout, memoryBytes },
    falsePositiveRate: plannedFprOf(request, settings) ?? null,
    prediction: await predictionOf(request.options, settings, planning),
  };
  return { status: 200, body: planned };
}

export const planRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/plan',
    summary: 'tells what a detector with some options would be',
    role: 'read',
    body: {
      kind: 'options',
      help: 'the options of FS.CREATE as members, such as `{"expect-distinct": 1e7, "fpr": 1e-6}`',
    },
    replies: { 200: { help: 'its algorithm and memory, and the rates of errors that are predicted' } },
    run: plan,
  },
];
