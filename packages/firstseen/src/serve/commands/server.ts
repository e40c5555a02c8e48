// Commands about the server and its keys, as far as clients and tools ask them.

import { type Reply, Verbatim } from '../resp/replies.js';
import type { ServerState } from '../session.js';
import type { Arguments } from './arguments.js';
import { globOf } from './glob.js';
import type { CommandContext, SingleRow } from './row.js';
import { type Subcommands, withSubcommands } from './subcommands.js';

/**
 * The version that Redis's clients compare. Commands that this version has and the server has not are refused by name.
 */
const REDIS_VERSION = '7.2.0';

type Fields = Readonly<Record<string, string | number>>;

const infoSections: Readonly<Record<string, (server: ServerState) => Fields>> = {
  Server: ({ version, port }) => ({
    redis_version: REDIS_VERSION,
    redis_mode: 'standalone',
    firstseen_version: version,
    process_id: process.pid,
    tcp_port: port,
    uptime_in_seconds: Math.floor(process.uptime()),
  }),
  Clients: ({ sessions }) => ({ connected_clients: sessions.size }),
  Memory: ({ store }) => ({
    used_memory: process.memoryUsage.rss(),
    detectors_memory: store.usedBytes,
    maxmemory: store.memoryBytes,
  }),
  Persistence: ({ data, phase }) => ({
    loading: phase === 'loading' ? 1 : 0,
    ...(data && {
      data_id: data.identity.id,
      data_created: Math.floor(data.identity.createdMilliseconds / 1000),
      log_bytes: data.logBytes,
      log_writable: data.problem === undefined ? 1 : 0,
      failed_snapshots: data.failedSnapshots,
      log_waiting_seconds: Number(data.waits.seconds.toFixed(3)),
    }),
  }),
  Stats: ({ counts, clientMemory, foreignConnections }) => ({
    total_connections_received: counts.connections,
    rejected_connections: counts.refusedConnections,
    foreign_connections: foreignConnections.count,
    evicted_clients: clientMemory.evicted,
    total_commands_processed: counts.commands,
    total_error_replies: counts.errors,
  }),
  Replication: () => ({ role: 'master', connected_slaves: 0 }),
  Keyspace: ({ store }) => (store.count > 0 ? { db0: `keys=${store.count},expires=0,avg_ttl=0` } : {}),
};

/** Words that ask for all sections. */
const EVERYTHING = ['DEFAULT', 'ALL', 'EVERYTHING'];

function info(command: Arguments, { server }: CommandContext): Reply {
  const sectionNames = command.texts(1).map((word) => word.toUpperCase());
  const isAll = sectionNames.length === 0 || sectionNames.some((word) => EVERYTHING.includes(word));
  const sections = Object.entries(infoSections).filter(([name]) => isAll || sectionNames.includes(name.toUpperCase()));
  const texts = sections.map(([name, fieldsOf]) => {
    const lines = Object.entries(fieldsOf(server)).map(([field, value]) => `${field}:${value}\r\n`);
    return `# ${name}\r\n${lines.join('')}`;
  });
  return new Verbatim(texts.join('\r\n'));
}

/** The settings of Redis that tools ask for. */
const settings: Readonly<Record<string, (server: ServerState) => string>> = {
  save: () => '',
  appendonly: () => 'no',
  databases: () => '1',
  maxmemory: ({ store }) => String(store.memoryBytes),
};

const configCommands: Subcommands = {
  GET: {
    usage: '<pattern> [<pattern> ...]',
    summary: 'shows the settings that tools for Redis request',
    arguments: [1],
    run(command, { server }) {
      const patterns = command.texts(2).map((pattern) => globOf(pattern.toLowerCase()));
      const shown = Object.entries(settings).filter(([name]) => patterns.some((matches) => matches(name)));
      return new Map(shown.map(([name, show]) => [name, show(server)]));
    },
  },
};

const MILLISECONDS = 1000;

/** The wall clock, in seconds and the microseconds of the next one. */
function timeNow(): Reply {
  const now = Date.now();
  const seconds = Math.floor(now / MILLISECONDS);
  return [seconds, (now - seconds * MILLISECONDS) * MILLISECONDS].map((part) => Buffer.from(String(part)));
}

export const serverRows: readonly SingleRow[] = [
  {
    name: 'TIME',
    usage: '',
    summary: 'tells the clock of the server, in seconds and microseconds',
    replies: [{ reply: 'seconds and microseconds of the clock of the server' }],
    isWhileLoading: true,
    role: 'read',
    arguments: [0, 0],
    run: timeNow,
  },
  {
    name: 'INFO',
    usage: '[section ...]',
    summary: 'tells about the server',
    replies: [{ reply: 'sections of text about the server' }],
    isWhileLoading: true,
    role: 'read',
    arguments: [0],
    run: info,
  },
  {
    name: 'CONFIG',
    summary: 'shows settings that tools for Redis request',
    replies: [{ usage: 'GET pattern [pattern ...]', reply: 'the settings of Redis that tools ask for' }],
    isWhileLoading: true,
    role: 'read',
    ...withSubcommands(configCommands),
  },
  {
    name: 'DBSIZE',
    usage: '',
    summary: 'counts the detectors',
    replies: [{ reply: 'the number of detectors' }],
    role: 'read',
    arguments: [0, 0],
    run: (_given, { server }) => server.store.count,
  },
];
