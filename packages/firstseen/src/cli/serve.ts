// `firstseen serve`: a server of named detectors for clients of Redis.

import type { Command } from 'commander';
import { FirstseenError } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { serveRows } from '../options/serve.js';
import { defaultMemoryBytes } from '../serve/limits.js';
import type { ServeOptions } from '../serve/server.js';
import { packageVersion } from './commandline.js';
import { flagFor } from './options.js';
import { stopListener } from './signals.js';
import { writeOutput } from './streams.js';

interface ServeFlags {
  host?: string;
  port?: number;
  memory?: number;
  maxDetectors?: number;
  maxConnections?: number;
  autoCreate?: number;
}

const MOST_PORT = 65_535;

/** Addresses that only programs of this machine reach. */
const isLoopback = (host: string) => /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);

/** @throws FirstseenError E_USAGE for an address that strangers reach, or no port. */
function checkAddress({ host, port }: Pick<ServeOptions, 'host' | 'port'>): void {
  if (port > MOST_PORT) {
    throw new FirstseenError('E_USAGE', `--port is ${port}`, { remedy: `give a port from 1 to ${MOST_PORT}` });
  }
  if (isLoopback(host)) return;
  throw new FirstseenError(
    'E_USAGE',
    `--host ${host} can be reached from other machines, and clients are not authenticated`,
    {
      remedy: 'give 127.0.0.1, ::1 or localhost',
    },
  );
}

function serveOptions(flags: ServeFlags): ServeOptions {
  const [host, port, , mostDetectors, mostConnections] = serveRows;
  const options: ServeOptions = {
    host: flags.host ?? host.default,
    port: flags.port ?? port.default,
    memoryBytes: flags.memory ?? defaultMemoryBytes(),
    mostDetectors: flags.maxDetectors ?? mostDetectors.default,
    mostConnections: flags.maxConnections ?? mostConnections.default,
    autoCreateBytes: flags.autoCreate,
    version: packageVersion(),
  };
  checkAddress(options);
  return options;
}

/** Resolves at the first signal that asks the server to stop. A second one ends the process at once. */
function stopped(): Promise<void> {
  const listener = stopListener();
  listener.listen();
  return new Promise((resolve) => {
    listener.signal.addEventListener('abort', () => resolve());
  });
}

async function runServer(flags: ServeFlags): Promise<void> {
  const options = serveOptions(flags);
  const { serve } = await import('../serve/server.js');
  const stop = stopped();
  const server = await serve(options);
  const memory = formatBytes(options.memoryBytes);
  await writeOutput(
    `firstseen ${options.version} listens on ${server.host}:${server.port}, with ${memory} for detectors\n`,
  );
  await stop;
  await server.close();
}

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('hold named detectors that clients of Redis share')
    .allowExcessArguments(false);
  for (const row of serveRows) command.addOption(flagFor(row));
  command.action((flags: ServeFlags) => runServer(flags));
}
