// The stream of a page: a message a second, as long as the page reads it.

import type { ServerResponse } from 'node:http';
import type { Series } from '../../history/series.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import type { SentPoints, WatchMessage } from './messages.js';
import { detailed, type ListQuery, rowsOf, sortedEntries, watchedServer } from './view.js';

const HEAD = { 'Content-Type': 'text/event-stream' } as const;

/** What a page asks for. */
export interface WatchQuery extends ListQuery {
  /** The detector that is shown in detail. */
  name: string | undefined;
}

/** Seconds for which the list keeps its order. Otherwise its rows would move all the time, and sorting would take the time of clients. */
const ORDER_SECONDS = 5;

class Watch {
  readonly #query: WatchQuery;
  readonly #server: ServerState;
  #sorted: DetectorEntry[] = [];
  #sortedAt = Number.NEGATIVE_INFINITY;
  /** The first second that the page does not know of the totals. */
  #from = 0;
  /** The detector that the page knows the history of, and from when on it does not. */
  #known: { entry: DetectorEntry; from: number } | undefined;

  constructor(query: WatchQuery, server: ServerState) {
    this.#query = query;
    this.#server = server;
  }

  message(): WatchMessage {
    const { history } = this.#server;
    const entry = this.#query.name === undefined ? undefined : this.#server.store.find(this.#query.name);
    const message = {
      time: Date.now(),
      server: watchedServer(this.#server),
      list: this.#list(),
      detector: entry ? detailed(entry, this.#server) : null,
      totals: this.#points(history.totals, this.#from),
      history: entry ? this.#historyOf(entry) : null,
    };
    this.#from = history.second;
    return message;
  }

  #list(): WatchMessage['list'] {
    const { second } = this.#server.history;
    if (second - this.#sortedAt >= ORDER_SECONDS) {
      this.#sorted = sortedEntries(this.#server, this.#query);
      this.#sortedAt = second;
    }
    const { length: matched } = this.#sorted;
    const { limit } = this.#query;
    // Beyond the end, the last part is shown.
    const offset = Math.min(this.#query.offset, Math.max(0, Math.ceil(matched / limit) - 1) * limit);
    return { matched, offset, rows: rowsOf(this.#sorted, { ...this.#query, offset }, this.#server) };
  }

  #historyOf(entry: DetectorEntry): SentPoints {
    const { history } = this.#server;
    // Another detector may have taken the name.
    const from = this.#known?.entry === entry ? this.#known.from : 0;
    this.#known = { entry, from: history.second };
    return this.#points(history.seriesOf(entry), from);
  }

  #points(series: Series, from: number): SentPoints {
    return { ...this.#server.history.pointsOf(series, from), isWhole: from === 0 };
  }
}

/** Sends messages until the page has gone or the server stops. A page that does not read them misses some. */
export function watch(query: WatchQuery, server: ServerState, response: ServerResponse): Promise<void> {
  // The head of a stream that does not end by itself.
  if (response.req.method === 'HEAD') {
    response.writeHead(200, HEAD).end();
    return Promise.resolve();
  }
  const own = new Watch(query, server);
  const send = () => {
    if (server.phase !== 'ready') response.end();
    else if (!response.writableNeedDrain) response.write(`data: ${JSON.stringify(own.message())}\n\n`);
  };
  return new Promise((resolve) => {
    const forget = server.history.onLook(send);
    response.on('close', () => {
      forget();
      resolve();
    });
    response.writeHead(200, HEAD);
    send();
  });
}
