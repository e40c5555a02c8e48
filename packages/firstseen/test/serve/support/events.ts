// Reads the stream of the page as text, as any client would.

import { get, type IncomingMessage } from 'node:http';
import type { WatchMessage } from '../../../src/serve/http/watch/messages.js';

export class EventReader {
  readonly reply: IncomingMessage;
  readonly #messages: AsyncIterator<WatchMessage>;

  private constructor(reply: IncomingMessage) {
    this.reply = reply;
    this.#messages = messagesOf(reply);
  }

  static open(port: number, query: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const request = get({ port, host: '127.0.0.1', path: `/page/events?${query}`, headers, agent: false }, (reply) =>
        resolve(new EventReader(reply)),
      );
      request.on('error', reject);
    });
  }

  /** The next message; undefined once the stream has ended. */
  async next(): Promise<WatchMessage | undefined> {
    const { done, value } = await this.#messages.next();
    return done ? undefined : value;
  }

  close(): void {
    this.reply.destroy();
  }
}

async function* messagesOf(reply: IncomingMessage): AsyncGenerator<WatchMessage> {
  let rest = '';
  reply.setEncoding('utf8');
  for await (const chunk of reply as AsyncIterable<string>) {
    const parts = `${rest}${chunk}`.split('\n\n');
    rest = parts.pop() as string;
    for (const part of parts) yield JSON.parse(part.replace(/^data: /, ''));
  }
}
