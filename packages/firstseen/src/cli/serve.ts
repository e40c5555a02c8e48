// What `firstseen serve` does: from its options to a server that has stopped.

import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from '../base/abort.js';
import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { isLoopback } from '../base/loopback.js';
import { formatBytes } from '../base/memory.js';
import { longFlag } from '../options/longflag.js';
import * as rows from '../options/serve.js';
import type { Settings } from '../options/settings.js';
import { defaultMemoryBytes, machineMemoryBytes } from '../serve/limits.js';
import { foreignFiles, MARKER, sequencesOf } from '../serve/log/files.js';
import { FolderMarker } from '../serve/log/marker.js';
import { PlanningThread } from '../serve/planning/thread.js';
import { Tokens } from '../serve/security/tokens.js';
import { type RunningServer, type ServeOptions, serve } from '../serve/server.js';
import { MIN_REQUEST_BYTES } from '../serve/session.js';
import { MIN_COST_BYTES } from '../serve/store/room.js';
import { packageVersion } from './commandline.js';
import { flagOfOption } from './flagnames.js';
import { checkPort } from './port.js';
import { checkServer } from './serve/check.js';
import { declaredIn } from './serve/detectors.js';
import { checkReach, readCertificates, readSecurity } from './serve/security.js';
import { readSettings } from './serve/settings.js';
import { type TimeFlags, timesOf } from './serve/times.js';
import { endSoon, endUnread, type StopListener, type StopSignal } from './signals.js';
import { writeGreeting, writeMessage } from './streams.js';

interface ServeFlags extends TimeFlags {
  host?: string;
  port?: number;
  httpPort?: number;
  redisOnly?: boolean;
  data?: string;
  requireData?: boolean;
  inMemory?: boolean;
  durability?: (typeof rows.durability.words)[number];
  logLimit?: number;
  onDamage?: (typeof rows.onDamage.words)[number];
  totalMemory?: number;
  maxDetectors?: number;
  maxConnections?: number;
  maxRequest?: number;
  keyed?: (typeof rows.keyed.words)[number];
  autoCreate?: number;
  map?: string[];
}

/** The flags that were given, by the names under which the parser has them. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** @throws FirstseenError E_USAGE for a limit below what is needed: no command or no detector would keep it. */
function checkLeast(bytes: number, minBytes: number, origin: string, needs: string): void {
  if (bytes >= minBytes) return;
  const least = formatBytes(minBytes);
  throw new FirstseenError('E_USAGE', `${origin} is ${formatBytes(bytes)}, and ${needs} ${least}`, {
    remedy: `give ${least} or more`,
  });
}

const rowsOfData = [rows.data, rows.requireData, rows.durability, rows.logLimit, rows.onDamage] as const;

/** @throws FirstseenError E_USAGE when nothing is kept on disk, but it is said how. */
function checkInMemory(settings: Settings): void {
  const { values } = settings;
  const given = rowsOfData.find(({ name }) => values[name] !== undefined);
  if (!values[rows.inMemory.name] || given === undefined) return;
  const [idle, cause] = [given, rows.inMemory].map((row) => settings.originOf(row));
  throw new FirstseenError('E_USAGE', `${idle} has no effect with ${cause}`, { remedy: 'leave one of them out' });
}

async function dataOptions(flags: ServeFlags): Promise<ServeOptions['data']> {
  if (flags.inMemory) return undefined;
  const folder = flags.data ?? rows.data.default;
  const [{ makeFolder }, { launchCompactor }] = await Promise.all([
    import('../io/system/makefolder.js'),
    import('../serve/log/process.js'),
  ]);
  if (!flags.requireData) await makeFolder(folder);
  return {
    ...{ folder, isRequired: flags.requireData },
    durability: flags.durability ?? rows.durability.default,
    logLimitBytes: flags.logLimit ?? rows.logLimit.default,
    onDamage: flags.onDamage ?? rows.onDamage.default,
    compactor: launchCompactor(),
  };
}

/** The options that a server is started with, and the settings that can be read again while it runs. */
interface Start {
  options: ServeOptions;
  settings: Settings;
  tokens: Tokens;
  /** Time between a signal to stop and the end of the connections. */
  drainMilliseconds: number;
}

const ignore = () => undefined;
const onWarning = (message: string) => writeMessage(`firstseen: ${message}`);

async function startOf(given: GivenFlags): Promise<Start> {
  const { settings: asked, file } = await readSettings(given);
  const settings = asked.overriding(rows.inMemory, rowsOfData);
  checkInMemory(settings);
  const flags: ServeFlags = settings.values;
  const security = await readSecurity(settings, onWarning);
  const { host = rows.host.default, port = rows.port.default } = flags;
  checkPort(port, settings.originOf(rows.port));
  const { httpPort = rows.httpPort.default } = flags;
  checkPort(httpPort, settings.originOf(rows.httpPort));
  const { maxRequest = rows.requestBytes.default, totalMemory = defaultMemoryBytes() } = flags;
  checkLeast(maxRequest, MIN_REQUEST_BYTES, settings.originOf(rows.requestBytes), 'commands need');
  checkLeast(totalMemory, MIN_COST_BYTES, settings.originOf(rows.totalMemory), 'the smallest detector takes');
  checkReach(host, settings, security);
  const tokens = new Tokens(security.tokens);
  const { drainMilliseconds, ...times } = timesOf(flags);
  const options = {
    ...{ host, port, certificates: security.certificates },
    httpPort: flags.redisOnly ? undefined : httpPort,
    memoryBytes: totalMemory,
    machineBytes: machineMemoryBytes(),
    maxDetectors: flags.maxDetectors ?? rows.maxDetectors.default,
    maxConnections: flags.maxConnections ?? rows.maxConnections.default,
    requestBytes: maxRequest,
    times,
    isKeyed: flags.keyed === 'always' || (flags.keyed !== 'never' && !isLoopback(host)),
    autoCreateBytes: flags.autoCreate,
    detectors: declaredIn(file),
    maps: flags.map,
    version: packageVersion(),
    planning: new PlanningThread(),
    onWarning,
    authenticate: security.tokens.length > 0 ? authenticatorOf(tokens) : undefined,
    data: await dataOptions(flags),
  };
  return { options, settings, tokens, drainMilliseconds };
}

function authenticatorOf(tokens: Tokens): NonNullable<ServeOptions['authenticate']> {
  return (user, token) => tokens.authenticate(user, token);
}

/** Resolves once a signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

/** Tells if there are files that can be read again. */
function canReload({ options }: Start): boolean {
  return options.certificates !== undefined || options.authenticate !== undefined;
}

/** Reads tokens and certificates again. What cannot be read leaves all as it was. */
async function reload({ options, settings, tokens }: Start, server: RunningServer): Promise<void> {
  try {
    const { tokens: read, certificates } = await readSecurity(settings, onWarning);
    tokens.replace(read);
    if (certificates && options.certificates) server.renewCertificates(certificates);
    writeMessage('firstseen: read tokens and certificates again');
  } catch (error) {
    const problem = error instanceof FirstseenError ? error.render(flagOfOption) : String(error);
    onWarning(`tokens and certificates stay as they were: ${problem}`);
  }
}

/** Describes the clients whose connections are taken, for the greeting. */
function clientsOf({ authenticate, certificates }: ServeOptions): string {
  const needs = [...(authenticate ? ['a token'] : []), ...(certificates?.ca ? ['a certificate'] : [])];
  const encrypted = certificates ? ', encrypted' : '';
  return `${needs.length > 0 ? `with ${needs.join(' and ')}` : 'of this machine'}${encrypted}`;
}

function httpAddress({ certificates }: ServeOptions, { host, httpPort }: RunningServer): string {
  const scheme = certificates ? 'https' : 'http';
  return `http: ${scheme}://${host.includes(':') ? `[${host}]` : host}:${httpPort}/`;
}

function greeting(options: ServeOptions, server: RunningServer): string {
  const { host, port, httpPort, newFolderId, detectors, madeEmpty } = server;
  const { version, memoryBytes, data, maps = [] } = options;
  const clients = clientsOf(options);
  const counted = formatCounted(detectors, 'detector');
  const where = data ? `${data.folder}, durability ${data.durability}, ${counted}` : 'in memory only';
  const lines = [`firstseen ${version}`, `redis protocol: ${host}:${port}`];
  if (httpPort !== undefined) lines.push(httpAddress(options, server));
  lines.push(...maps.map((map) => `map: ${map}`));
  lines.push(`clients: ${clients}`, `data: ${where}`);
  // A volume that is not mounted looks like a first start.
  if (data && madeEmpty.length > 0) lines.push(`empty: ${madeEmpty.join(', ')}; declared, and not in the data folder`);
  if (data && newFolderId !== undefined) lines.push(`made data folder: ${data.folder}, id ${newFolderId}`);
  lines.push(`memory for detectors: ${formatBytes(memoryBytes)}`);
  return `${lines.join('\n')}\n`;
}

/** Makes the data folder of a server with these options, unless it is there. */
export async function makeData(given: GivenFlags): Promise<void> {
  const { settings } = await readSettings(given);
  const { data: folder = rows.data.default, inMemory }: ServeFlags = settings.values;
  if (inMemory) {
    throw new FirstseenError('E_USAGE', `--init has no effect with ${settings.originOf(rows.inMemory)}`, {
      remedy: 'leave one of them out',
    });
  }
  const { makeFolder } = await import('../io/system/makefolder.js');
  await makeFolder(folder);
  const [foreign, logs, sets] = await Promise.all([
    foreignFiles(folder),
    sequencesOf(folder, 'log'),
    sequencesOf(folder, 'snapshot'),
  ]);
  const { isNew, id } = await FolderMarker.open(folder);
  const hasData = logs.length + sets.length > 0;
  const made = hasData ? `made ${MARKER} again for the data in` : 'made data folder';
  writeMessage(`firstseen: ${isNew ? made : 'data folder is there already:'} ${folder}, id ${id}`);
  // A folder of something else, named by mistake.
  if (isNew && foreign.length > 0)
    onWarning(`${folder} also has files that are not of a server, such as ${foreign[0]}`);
}

/** Asks a server that runs with the same options. */
export async function checkRunning(given: GivenFlags): Promise<void> {
  const { settings } = await readSettings(given);
  const { host = rows.host.default, port = rows.port.default }: ServeFlags = settings.values;
  checkPort(port, settings.originOf(rows.port));
  if (port === 0) {
    throw new FirstseenError('E_USAGE', `--check cannot find a server with the port 0`, {
      remedy: 'give the port that it has printed',
    });
  }
  await checkServer({ host, port, certificates: await readCertificates(settings, onWarning) });
}

/** Listens for the signal that makes the server read files again, instead of ending it. */
function reloadBySignal(start: Start, stop: StopListener, serving: Promise<RunningServer>): void {
  if (!canReload(start)) return;
  process.on('SIGHUP', () => void serving.then((server) => reload(start, server), ignore));
  stop.leave('SIGHUP');
}

/** Starts a server; undefined if a signal asks it to stop before it serves. */
async function startServer(given: GivenFlags, stop: StopListener): Promise<[Start, RunningServer] | undefined> {
  const stopping = stop.signal;
  try {
    const start = await unlessAborted(startOf(given), stopping);
    const serving = serve({ ...start.options, stopping });
    reloadBySignal(start, stop, serving);
    return [start, await serving];
  } catch (error) {
    if (!stopping.aborted || error !== stopping.reason) throw error;
    const signal = stop.received() as StopSignal;
    writeMessage(`firstseen: stopped by ${signal} before it served`);
    endSoon(signal);
    return undefined;
  }
}

const cutTexts = {
  unfinished: 'the end of the log was not whole, and was cut off: it was being written when the server stopped',
  acknowledged: `what was damaged or missing in the data folder was left out (${longFlag(rows.onDamage)} cut): some of what was acknowledged is lost, and its keys are distinct again`,
} as const;

/**
 * Runs a server until a signal asks it to stop, or asks one that runs. A second signal ends the process at once.
 * @param stop listens already, because a large log is read for seconds
 */
export async function runServer(given: GivenFlags, stop: StopListener): Promise<void> {
  const started = await startServer(given, stop);
  if (started === undefined) return;
  const [{ options, drainMilliseconds }, server] = started;
  const { cut } = server.recovered ?? {};
  if (cut !== undefined) writeMessage(`firstseen: ${cutTexts[cut]}`);
  writeGreeting(greeting(options, server));
  try {
    await Promise.race([aborted(stop.signal), server.failed]);
    server.drain();
    await Promise.race([sleep(drainMilliseconds), server.failed]);
  } finally {
    await server.close();
    endUnread();
  }
}
