// A server for tests, on a free port.

import { type RunningServer, type ServeOptions, serve } from '../../../src/serve/server.js';
import { Client } from './client.js';

export const testServer: ServeOptions = {
  host: '127.0.0.1',
  port: 0,
  memoryBytes: 2 ** 28,
  maxDetectors: 100,
  maxConnections: 100,
  version: '1.2.3',
};

/** Runs a test with a server and a client of it, and stops both. */
export async function withServer(
  run: (client: Client, server: RunningServer) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const server = await serve({ ...testServer, ...options });
  const client = await Client.open(server.port);
  try {
    await run(client, server);
  } finally {
    client.close();
    await server.close();
  }
}
