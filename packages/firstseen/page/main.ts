// The page of the server: one stream of figures, and the view that the address names.

import type { WatchMessage } from '../src/serve/http/watch/messages.js';
import { Detail } from './detail.js';
import { byId, setText } from './dom.js';
import { List } from './list.js';
import { Overview } from './overview.js';
import { PlanForm } from './planform.js';
import { PointHistory } from './points.js';
import { Stream, type StreamState, type Wanted } from './stream.js';
import { tokenForm } from './tokenform.js';
import type { View } from './view.js';

const stateTexts: Readonly<Record<StreamState, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused while hidden',
  loading: 'The server starts or stops',
  lost: 'No connection, trying again',
  refused: 'Refused',
  token: 'Needs a token',
};

const DETECTORS = '#/detectors/';

/** The name of the detector in the address of the page; undefined if it is of another view. */
function nameInAddress(): string | undefined {
  if (!location.hash.startsWith(DETECTORS)) return undefined;
  try {
    return decodeURIComponent(location.hash.slice(DETECTORS.length));
  } catch {
    return undefined;
  }
}

class Page {
  readonly #content = byId('content');
  readonly #totals = new PointHistory();
  readonly #history = new PointHistory();
  readonly #list = new List(() => this.#stream.want(this.#wanted()));
  readonly #stream: Stream;
  #view: View;
  #token: string | undefined;
  #latest: WatchMessage | undefined;

  constructor() {
    this.#view = this.#newView();
    this.#open(this.#view);
    addEventListener('hashchange', () => this.#change());
    this.#stream = new Stream(this.#wanted(), {
      onMessage: (message) => this.#show(message),
      onState: (state, text) => this.#tell(state, text),
      headers: () => this.#headers(),
    });
  }

  #headers(): Record<string, string> {
    return this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  #wanted(): Wanted {
    return { ...this.#list.state, detector: nameInAddress() };
  }

  #newView(): View {
    const name = nameInAddress();
    if (name !== undefined) return new Detail(name, this.#history);
    if (location.hash !== '#/plan') return new Overview(this.#list, this.#totals);
    return new PlanForm({ headers: () => this.#headers(), port: () => this.#latest?.server.port ?? 0 });
  }

  #open(view: View): void {
    this.#content.replaceChildren(view.root);
    document.title = `${view.title} · firstseen`;
    for (const link of document.querySelectorAll('[data-view]')) {
      const isCurrent = link.getAttribute('href') === (location.hash || '#/');
      if (isCurrent) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  }

  #change(): void {
    // The link to the content of the page is not a view.
    if (location.hash !== '' && !location.hash.startsWith('#/')) return;
    this.#view.close();
    this.#history.clear();
    this.#view = this.#newView();
    this.#open(this.#view);
    this.#content.focus({ preventScroll: true });
    scrollTo(0, 0);
    this.#stream.want(this.#wanted());
  }

  #show(message: WatchMessage): void {
    this.#latest = message;
    this.#totals.add(message.totals);
    if (message.history) this.#history.add(message.history);
    setText(byId('version'), `version ${message.server.version}, port ${message.server.port}`);
    if (!this.#view.root.isConnected) this.#open(this.#view);
    this.#view.show(message);
  }

  #tell(state: StreamState, text?: string): void {
    const status = byId('status');
    status.dataset.state = state;
    setText(status, stateTexts[state]);
    if (state !== 'token' && state !== 'refused') return;
    const problem = text ?? '';
    this.#content.replaceChildren(
      tokenForm(problem, (token) => {
        this.#token = token;
        this.#stream.want(this.#wanted());
      }),
    );
  }
}

new Page();
