// `firstseen serve`: a server of named detectors for clients of Redis.

import type { Command } from 'commander';
import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import * as rows from '../options/serve.js';
import type { RunningServer, ServeOptions } from '../serve/server.js';
import { packageVersion } from './commandline.js';
import { flagFor } from './options.js';
import { stopListener } from './signals.js';
import { writeMessage, writeOutput } from './streams.js';

interface ServeFlags {
  host?: string;
  port?: number;
  data?: string;
  inMemory?: boolean;
  durability?: (typeof rows.durability.words)[number];
  logLimit?: number;
  onDamage?: (typeof rows.onDamage.words)[number];
  memory?: number;
  maxDetectors?: number;
  maxConnections?: number;
  autoCreate?: number;
  map?: string[];
}

const MOST_PORT = 65_535;

/** Addresses that only programs of this machine reach. */
const isLoopback = (host: string) => /^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host);

/** @throws FirstseenError E_USAGE for an address that strangers reach, or no port. */
function checkAddress({ host, port }: Pick<ServeOptions, 'host' | 'port'>): void {
  if (!Number.isInteger(port) || port < 0 || port > MOST_PORT) {
    throw new FirstseenError('E_USAGE', `--port is ${port}`, { remedy: `give a port from 0 to ${MOST_PORT}` });
  }
  if (isLoopback(host)) return;
  const problem = `--host ${host} can be reached from other machines, and clients are not authenticated`;
  throw new FirstseenError('E_USAGE', problem, { remedy: 'give 127.0.0.1, ::1 or localhost' });
}

const rowsOfData = [rows.data, rows.durability, rows.logLimit, rows.onDamage] as const;

/** @throws FirstseenError E_USAGE when nothing is kept on disk, but it is said how. */
function checkInMemory(flags: ServeFlags): void {
  const given = rowsOfData.find(({ name }) => flags[name] !== undefined);
  if (!flags.inMemory || given === undefined) return;
  throw new FirstseenError('E_USAGE', `${given.flag.split(' ')[0]} has no effect with --in-memory`, {
    remedy: 'leave one of them out',
  });
}

async function dataOptions(flags: ServeFlags): Promise<ServeOptions['data']> {
  checkInMemory(flags);
  if (flags.inMemory) return undefined;
  const folder = flags.data ?? rows.data.default;
  const [{ makeFolder }, { compactInProcess }] = await Promise.all([
    import('../io/system/makefolder.js'),
    import('../serve/log/process.js'),
  ]);
  await makeFolder(folder);
  return {
    folder,
    durability: flags.durability ?? rows.durability.default,
    logLimitBytes: flags.logLimit ?? rows.logLimit.default,
    onDamage: flags.onDamage ?? rows.onDamage.default,
    compactor: compactInProcess,
  };
}

async function serveOptions(flags: ServeFlags): Promise<ServeOptions> {
  const { defaultMemoryBytes } = await import('../serve/limits.js');
  const options = {
    host: flags.host ?? rows.host.default,
    port: flags.port ?? rows.port.default,
    memoryBytes: flags.memory ?? defaultMemoryBytes(),
    mostDetectors: flags.maxDetectors ?? rows.mostDetectors.default,
    mostConnections: flags.maxConnections ?? rows.mostConnections.default,
    autoCreateBytes: flags.autoCreate,
    maps: flags.map,
    version: packageVersion(),
    onWarning: (message: string) => writeMessage(`firstseen: ${message}`),
  };
  checkAddress(options);
  return { ...options, data: await dataOptions(flags) };
}

/** Resolves at the first signal that asks the server to stop. A second one ends the process at once. */
function stopped(): Promise<void> {
  const listener = stopListener();
  listener.listen();
  return new Promise((resolve) => {
    listener.signal.addEventListener('abort', () => resolve());
  });
}

function greeting({ version, memoryBytes, data }: ServeOptions, { host, port, recovered }: RunningServer): string {
  const found = recovered ? `, ${formatCounted(recovered.detectors, 'detector')}` : '';
  const where = data ? `${data.folder}, durability ${data.durability}${found}` : 'in memory only';
  const lines = [`firstseen ${version}`, `redis protocol: ${host}:${port}`, `data: ${where}`];
  return `${lines.join('\n')}\nmemory for detectors: ${formatBytes(memoryBytes)}\n`;
}

async function runServer(flags: ServeFlags): Promise<void> {
  const options = await serveOptions(flags);
  const { serve } = await import('../serve/server.js');
  const stop = stopped();
  const server = await serve(options);
  if (server.recovered?.isCut) {
    writeMessage(
      'firstseen: the end of the log was not whole, and was cut off: it was being written when the server stopped',
    );
  }
  await writeOutput(greeting(options, server));
  try {
    await Promise.race([stop, server.failed]);
  } finally {
    await server.close();
  }
}

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('hold named detectors that clients of Redis share')
    .allowExcessArguments(false);
  for (const row of rows.serveRows) command.addOption(flagFor(row));
  command.action((flags: ServeFlags) => runServer(flags));
}
