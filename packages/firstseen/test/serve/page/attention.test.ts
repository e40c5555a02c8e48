// The sentences of what needs attention, with as much of a document as they need.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AttentionItem, WatchMessage } from '../../../src/serve/http/watch/messages.js';

/** An element that knows its tag and what is in it. */
class Made {
  readonly tag: string;
  hidden = false;
  children: (Made | string)[] = [];

  constructor(tag: string) {
    this.tag = tag;
  }

  setAttribute(): void {}

  append(...children: (Made | string)[]): void {
    this.children.push(...children);
  }

  replaceChildren(...children: (Made | string)[]): void {
    this.children = children;
  }

  get text(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
  }

  all(tag: string): Made[] {
    const inside = this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all(tag)));
    return this.tag === tag ? [this, ...inside] : inside;
  }
}

beforeEach(() => {
  vi.stubGlobal('document', { createElement: (tag: string) => new Made(tag) });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

async function shown(...items: (AttentionItem & { isAlarming: boolean })[]): Promise<Made> {
  const { AttentionList } = await import('../../../page/attention.js');
  const list = new AttentionList();
  list.show({ attention: { items, more: 0 } } as unknown as WatchMessage);
  return list.root as unknown as Made;
}

test('a window that loses keys, changes that wait, and a window that is ahead, say so', async () => {
  const root = await shown(
    { kind: 'shortened', detector: 'pw', parts: 7, isAlarming: true },
    { kind: 'unstored', detector: 'pw', keys: 5, observed: 1000, isAlarming: true },
    { kind: 'waiting', seconds: 61.7, isAlarming: true },
    { kind: 'ahead', detector: 'w', untilMilliseconds: Date.UTC(2036, 0, 1, 12), isAlarming: true },
  );
  const texts = root.all('li').map(({ text }) => text);
  expect(texts[0]).toMatch(/^Alarming pw the oldest keys left the window before their time .*; 7 parts/);
  expect(texts[1]).toMatch(/^Alarming pw keys passed and were not stored .*; 5 of 1,000 so far/);
  expect(texts[2]).toMatch(/^Alarming Changes have waited for new snapshots for 61 seconds/);
  expect(texts[3]).toMatch(/^Alarming w the time of its window is ahead .* before Jan 1, 2036/);
});

test('a name whose marks change the direction of writing is isolated from the sentence', async () => {
  const name = 'a\u202eb';
  const root = await shown({ kind: 'late', detector: name, late: 1, isAlarming: false });
  expect(root.all('bdi').map(({ text }) => text)).toEqual([name]);
});
