// The replies to a monitor that asks for the health of a service: its liveness, its readiness and its metrics.

import { type HistogramMetric, type Metric, metricsText } from './metrics.js';

/** The phase of a service. It is not ready while it reads what it was, and while it stops. */
export type Phase = 'loading' | 'ready' | 'draining';

export interface HealthReply {
  readonly status: number;
  readonly body: string;
  readonly type: string;
}

const TEXT_TYPE = 'text/plain';
const METRICS_TYPE = `${TEXT_TYPE}; version=0.0.4; charset=utf-8`;

/** A reply of one text. */
export function textReply(status: number, body: string): HealthReply {
  return { status, body, type: TEXT_TYPE };
}

/** The reply of a process that lives. */
export const aliveReply = textReply(200, 'ok\n');

/** Returns the reply to who asks if a service is ready. @param causes lines that tell what it waits for */
export function readinessReply(phase: Phase, causes = ''): HealthReply {
  return textReply(phase === 'ready' ? 200 : 503, `${phase}\n${causes}`);
}

export function metricsReply(metrics: readonly (Metric | HistogramMetric)[]): HealthReply {
  return { status: 200, body: metricsText(metrics), type: METRICS_TYPE };
}
