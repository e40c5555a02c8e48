// The kinds of streams, one row each.

import { checkWord } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { adversarial } from './adversarial.js';
import { bursts } from './bursts.js';
import { checkSpec, type ResolvedStream, type StreamKind } from './contract.js';
import { drift } from './drift.js';
import { ids } from './ids.js';
import { lines } from './lines.js';
import { mixed } from './mixed.js';
import { streamKindNames } from './names.js';
import { numbered } from './numbered.js';
import { recency } from './recency.js';
import { shuffled } from './shuffled.js';
import { uniform } from './uniform.js';
import { zipf } from './zipf.js';

export const streamKinds: readonly StreamKind[] = [
  uniform,
  numbered,
  shuffled,
  zipf,
  mixed,
  recency,
  drift,
  bursts,
  adversarial,
  ids,
  lines,
];

/** @throws FirstseenError E_PARAMETER listing the kinds. */
export function streamKindNamed(name: string): StreamKind {
  checkWord('stream.kind', name, streamKindNames);
  return streamKinds.find((row) => row.name === name) as StreamKind;
}

/** @throws FirstseenError E_PARAMETER for an unknown kind or setting, or one out of range; E_INPUT for a file. */
export async function resolveStream(spec: StreamSpec): Promise<ResolvedStream> {
  const kind = streamKindNamed(spec.kind);
  checkSpec(spec, kind);
  return kind.resolve(spec);
}

/** The model of the stream for the planner and the limit. Throws as `resolveStream` does. */
export async function streamModel(spec: StreamSpec): Promise<StreamModel> {
  return (await resolveStream(spec)).model();
}
