// The times of a server, of its flags.

import { checkTimer } from '../../base/check.js';
import * as rows from '../../options/serve.js';
import type { ServeOptions } from '../../serve/server.js';

export interface TimeFlags {
  requestTimeout?: string;
  idleTimeout?: string;
  drainDelay?: string;
}

export interface ServeTimes extends NonNullable<ServeOptions['times']> {
  /** Time between a signal to stop and the end of the connections. */
  drainMilliseconds: number;
}

/** @throws FirstseenError E_PARAMETER for a time that a timer cannot wait */
export function timesOf({
  requestTimeout = rows.requestTimeout.default,
  idleTimeout,
  drainDelay,
}: TimeFlags): ServeTimes {
  return {
    requestMilliseconds: checkTimer(rows.requestTimeout.name, requestTimeout),
    idleMilliseconds: idleTimeout === undefined ? undefined : checkTimer(rows.idleTimeout.name, idleTimeout),
    drainMilliseconds: drainDelay === undefined ? 0 : checkTimer(rows.drainDelay.name, drainDelay),
  };
}
