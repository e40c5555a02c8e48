// A page in Chromium that sends commands to the port of Redis: the server ends its connections, and runs nothing.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, type TestBrowser } from '../support/browser.js';
import { withServer } from './support/server.js';

let chromium: TestBrowser;
/** The attacker's page. It says nothing: the script is the test's. */
const attacker = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>'));

beforeAll(async () => {
  attacker.listen(0, '127.0.0.1');
  chromium = await openBrowser();
});

afterAll(async () => {
  await chromium?.close();
  attacker.close();
});

/** Sends a body in every way that a page has. Chromium resolves `localhost` to the loopback interface by itself. */
async function attack({ port, body }: { port: number; body: string }): Promise<void> {
  const url = `http://localhost:${port}/`;
  const ended = () => undefined;
  await fetch(url, { method: 'POST', mode: 'no-cors', body }).catch(ended);
  await fetch(url, { method: 'SET', mode: 'no-cors' }).catch(ended);
  await fetch(`https://localhost:${port}/`, { mode: 'no-cors' }).catch(ended);
  navigator.sendBeacon(url, body);
  await new Promise((resolve) => {
    const socket = new WebSocket(`ws://localhost:${port}/`, 'FS.DROP');
    socket.onerror = resolve;
    socket.onopen = resolve;
  });
}

test('a page cannot make, drop or fill a detector', () =>
  withServer(async (client, server) => {
    await client.send('FS.CREATE', 'kept', 'MEMORY', '64KiB');
    const page = await chromium.browser.newPage();
    await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
    await page.evaluate(attack, { port: server.port, body: 'FS.CREATE attacked\r\nFS.DROP kept\r\n' });
    await expect.poll(() => client.send('FS.LIST')).toEqual(['kept']);
    const counts = String(await client.send('INFO', 'stats'));
    expect(Number(/foreign_connections:(\d+)/.exec(counts)?.[1])).toBeGreaterThanOrEqual(3);
    await page.close();
  }));
