// What the server of HTTP has done.

import { Histogram, secondsLimits } from '../../monitor/histogram.js';

/** Requests of one route that ended with one status. */
export interface RequestCount {
  method: string;
  path: string;
  status: number;
  requests: number;
}

/** Requests that no route has. */
const NO_PATH = 'none';

export class HttpCounts {
  /** Connections that are open. */
  open = 0;
  connections = 0;
  /** Connections beyond the maximum, which were ended at once. */
  refusedConnections = 0;
  readonly #requests = new Map<string, RequestCount>();
  /** By the paths of routes. */
  readonly seconds = new Map<string, Histogram>();

  get requests(): Iterable<RequestCount> {
    return this.#requests.values();
  }

  add(route: Pick<RequestCount, 'method' | 'path'> | undefined, status: number, seconds: number): void {
    const { method = NO_PATH, path = NO_PATH } = route ?? {};
    const key = `${method} ${path} ${status}`;
    const count = this.#requests.get(key) ?? { method, path, status, requests: 0 };
    count.requests++;
    this.#requests.set(key, count);
    const histogram = this.seconds.get(path) ?? new Histogram(secondsLimits);
    histogram.add(seconds);
    this.seconds.set(path, histogram);
  }
}
