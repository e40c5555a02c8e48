// The stream of the server's figures. It is read by fetch, because an EventSource sends no token.

import type { Sorting, WatchMessage } from '../src/serve/http/watch/messages.js';

export type StreamState = 'connecting' | 'live' | 'paused' | 'loading' | 'lost' | 'refused' | 'token';

/** What the page wants to be told. */
export interface Wanted {
  detector: string | undefined;
  filter: string;
  sorting: Sorting;
  isDescending: boolean;
  offset: number;
}

export interface StreamOptions {
  onMessage(message: WatchMessage): void;
  /** @param text what the server said, for a state that it caused */
  onState(state: StreamState, text?: string): void;
  headers(): Record<string, string>;
}

const FIRST_WAIT_MILLISECONDS = 500;
const LONGEST_WAIT_MILLISECONDS = 5000;

/** What a reply says that is not a stream of events. */
async function problemOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const { detail } = (body ?? {}) as { detail?: string };
  return detail ?? `the server answers ${response.status}`;
}

function pathOf({ detector, filter, sorting, isDescending, offset }: Wanted): string {
  const query = new URLSearchParams({
    ...{ sort: sorting, order: isDescending ? 'descending' : 'ascending', filter, offset: String(offset) },
    ...(detector === undefined ? {} : { detector }),
  });
  return `page/events?${query}`;
}

/** The data of each event. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = `${rest}${value}`.split('\n\n');
    rest = parts.pop() as string;
    for (const part of parts) yield part.replace(/^data: /, '');
  }
}

const stateOfStatus: Readonly<Record<number, StreamState>> = { 401: 'token', 403: 'refused', 503: 'loading' };

export class Stream {
  readonly #options: StreamOptions;
  #wanted: Wanted;
  #abort = new AbortController();
  #waitMilliseconds = FIRST_WAIT_MILLISECONDS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(wanted: Wanted, options: StreamOptions) {
    this.#wanted = wanted;
    this.#options = options;
    document.addEventListener('visibilitychange', () => this.#restart());
    this.#restart();
  }

  /** Asks for something else, or for the same again. */
  want(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#restart();
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
    // Nobody sees the figures of a hidden page.
    if (document.hidden) {
      this.#options.onState('paused');
      return;
    }
    this.#abort = new AbortController();
    void this.#read(this.#abort.signal);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { onState, onMessage, headers } = this.#options;
    try {
      const response = await fetch(pathOf(this.#wanted), { signal, headers: headers(), cache: 'no-store' });
      if (!response.ok || response.body === null) {
        const state = stateOfStatus[response.status] ?? 'lost';
        const text = await problemOf(response);
        if (signal.aborted) return;
        onState(state, text);
        if (state === 'token' || state === 'refused') return;
      } else {
        for await (const event of eventsOf(response.body)) {
          if (signal.aborted) return;
          this.#waitMilliseconds = FIRST_WAIT_MILLISECONDS;
          onState('live');
          onMessage(JSON.parse(event));
        }
        if (signal.aborted) return;
        onState('lost');
      }
    } catch (error) {
      if (signal.aborted) return;
      onState('lost');
      if (!(error instanceof TypeError)) console.error(error);
    }
    this.#timer = setTimeout(() => this.#restart(), this.#waitMilliseconds);
    this.#waitMilliseconds = Math.min(2 * this.#waitMilliseconds, LONGEST_WAIT_MILLISECONDS);
  }
}
