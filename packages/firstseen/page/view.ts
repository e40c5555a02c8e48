// What the page shows in its main part.

import type { WatchMessage } from '../src/serve/http/watch/messages.js';

export interface View {
  readonly title: string;
  readonly root: HTMLElement;
  show(message: WatchMessage): void;
  /** Ends what goes on without the view. */
  close(): void;
}
