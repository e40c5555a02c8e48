// The stream of a page: a message a second, as long as the page reads it.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { runInTurns, Turns } from '../../../base/steps.js';
import type { Series } from '../../history/series.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { attentionInSteps } from './attention.js';
import type { Attention, SentPoints, WatchMessage } from './messages.js';
import { type ListQuery, type ShownPart, shownInSteps, sortedNow } from './order.js';
import { detailed, listed, watchedServer } from './view.js';

export const EVENT_STREAM = 'text/event-stream';
const HEAD = { 'Content-Type': EVENT_STREAM } as const;

/** The query of a page. */
export interface WatchQuery extends ListQuery {
  /** The detector that is shown in detail. */
  name: string | undefined;
}

/** Seconds for which a part of the list has the same detectors. To look at all of them each second would take the time of clients. */
const LOOK_SECONDS = 5;

class Watch {
  readonly #query: WatchQuery;
  readonly #server: ServerState;
  #shown: ShownPart = { matched: 0, offset: 0, entries: [] };
  #attention: Attention | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The first second that the page does not know of the totals. */
  #from = 0;
  /** The detector that the page knows the history of, and from when on it does not. */
  #shownHistory: { entry: DetectorEntry; from: number } | undefined;

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
      attention: this.#attention,
      list: this.#list(),
      detector: entry ? detailed(entry, history) : null,
      totals: this.#points(history.totals, this.#from),
      history: entry ? this.#historyOf(entry) : null,
    };
    this.#from = history.second;
    return message;
  }

  /** Sorts the list. Other work of the server is done meanwhile. */
  async sort(): Promise<void> {
    this.#shown = await runInTurns(shownInSteps(this.#server, this.#query), new Turns());
  }

  /** Looks at all detectors again if it is time to. */
  async look(): Promise<void> {
    const { second } = this.#server.history;
    if (second - this.#lookedAt < LOOK_SECONDS) return;
    this.#lookedAt = second;
    await this.sort();
    this.#attention = await runInTurns(attentionInSteps(this.#server), new Turns());
  }

  #list(): WatchMessage['list'] {
    const { matched, offset, entries } = this.#shown;
    const { sorting, isDescending } = this.#query;
    const { history } = this.#server;
    const rows = sortedNow(entries, this.#server, this.#query).map((entry) => listed(entry, history));
    return { sorting, isDescending, matched, offset, rows };
  }

  #historyOf(entry: DetectorEntry): SentPoints {
    const { history } = this.#server;
    // Another detector may have taken the name.
    const from = this.#shownHistory?.entry === entry ? this.#shownHistory.from : 0;
    this.#shownHistory = { entry, from: history.second };
    return this.#points(history.seriesOf(entry), from);
  }

  #points(series: Series, from: number): SentPoints {
    return { ...this.#server.history.pointsOf(series, from), isWhole: from === 0 };
  }
}

/** Sends messages until the page has gone or the server stops. A page that does not read them misses some. */
export async function watch(query: WatchQuery, server: ServerState, response: ServerResponse): Promise<void> {
  if (response.req.method === 'HEAD') {
    // The head of a stream that does not end by itself.
    response.writeHead(200, HEAD).end();
    return;
  }
  const watching = new Watch(query, server);
  const send = () => {
    if (server.phase !== 'ready') response.end();
    else if (!response.writableNeedDrain) response.write(`data: ${JSON.stringify(watching.message())}\n\n`);
    // The next message has what it finds.
    void watching.look();
  };
  await watching.sort();
  if (response.destroyed) return;
  response.writeHead(200, HEAD);
  const forget = server.history.onLook(send);
  const gone = once(response, 'close');
  send();
  try {
    await gone;
  } finally {
    forget();
  }
}
