// The kinds of streams, one row each.

import { FirstseenError, type StreamModel } from 'firstseen';
import type { StreamSpec } from '../contract.js';
import { adversarial } from './adversarial.js';
import { bursts } from './bursts.js';
import { checkSpec, type ResolvedStream, type StreamKind } from './contract.js';
import { drift } from './drift.js';
import { ids } from './ids.js';
import { lines } from './lines.js';
import { streamKindNames } from './names.js';
import { numbered } from './numbered.js';
import { recency } from './recency.js';
import { uniform } from './uniform.js';
import { zipf } from './zipf.js';

export const streamKinds: readonly StreamKind[] = [
  uniform,
  numbered,
  zipf,
  recency,
  drift,
  bursts,
  adversarial,
  ids,
  lines,
];

/** @throws FirstseenError E_PARAMETER listing the kinds. */
export function streamKindNamed(name: string): StreamKind {
  const kind = streamKinds.find((row) => row.name === name);
  if (kind) return kind;
  throw new FirstseenError('E_PARAMETER', `stream is "${name}", but must be one of ${streamKindNames.join(', ')}`);
}

/** @throws FirstseenError E_PARAMETER for a kind or setting that there is not, or out of range; E_INPUT for a file. */
export async function resolveStream(spec: StreamSpec): Promise<ResolvedStream> {
  const kind = streamKindNamed(spec.kind);
  checkSpec(spec, kind);
  return kind.resolve(spec);
}

/** What the planner and the limit take for a stream. Throws as `resolveStream` does. */
export async function streamModel(spec: StreamSpec): Promise<StreamModel> {
  return (await resolveStream(spec)).model();
}
