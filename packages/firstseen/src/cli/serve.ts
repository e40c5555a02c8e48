// What `firstseen serve` does: from its options to a server that has stopped.

import { unlessAborted } from '../base/abort.js';
import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { flagOfOption, problemText } from '../options/flagnames.js';
import { longFlag } from '../options/longflag.js';
import { checkRules, type OptionRule } from '../options/rules.js';
import * as rows from '../options/serve.js';
import type { Settings } from '../options/settings.js';
import { defaultMemoryBytes, machineMemoryBytes } from '../serve/limits.js';
import { cutMessage } from '../serve/log/cutoff.js';
import { foreignFiles, MARKER, sequencesOf } from '../serve/log/files.js';
import { FolderMarker } from '../serve/log/marker.js';
import { PlanningThread } from '../serve/planning/thread.js';
import { Tokens } from '../serve/security/tokens.js';
import { type RunningServer, type ServeOptions, serve } from '../serve/server.js';
import { MIN_REQUEST_BYTES } from '../serve/session.js';
import { MIN_COST_BYTES } from '../serve/store/room.js';
import { packageVersion } from './commandline.js';
import type { GivenValues } from './options.js';
import { checkPort } from './port.js';
import { checkServer } from './serve/check.js';
import { declaredIn } from './serve/detectors.js';
import { checkReach, readCertificates, readSecurity } from './serve/security.js';
import { readSettings } from './serve/settings.js';
import { endSoon, endUnread, type StopListener, type StopSignal } from './signals.js';
import { writeGreeting, writeMessage } from './streams.js';

/** @throws FirstseenError E_USAGE for a limit below what is needed: no command or no detector would keep it. */
function checkLeast(bytes: number, minBytes: number, origin: string, needs: string): void {
  if (bytes >= minBytes) return;
  const [rounded, least] = [bytes, minBytes].map(formatBytes);
  // Rounded, a size just below the least one is the same.
  const shown = rounded === least ? `${bytes}B` : rounded;
  throw new FirstseenError('E_USAGE', `${origin} is ${shown}, but ${needs} ${least}`, {
    remedy: `give ${least} or more`,
  });
}

const rowsOfData = rows.dataRows.filter((row) => row !== rows.inMemory);
const namesOfData = rowsOfData.map(({ name }) => name);

/** Options that have no effect beside `inMemory`, if it is given. */
function inMemoryRule<Name extends string>(settings: Settings, options: readonly Name[]): OptionRule<Name> {
  const idleWith = () => (settings.givenOf(rows.inMemory) ? settings.originOf(rows.inMemory) : undefined);
  return { options, idleWith, remedy: 'leave one of them out' };
}

async function dataOptions(settings: Settings): Promise<ServeOptions['data']> {
  const { inMemory, ...values } = settings.valuesOf(rows.dataRows);
  if (inMemory) return undefined;
  const [{ makeFolder }, { launchCompactor }] = await Promise.all([
    import('../io/system/makefolder.js'),
    import('../serve/log/process.js'),
  ]);
  if (!values.requireData) await makeFolder(values.folder);
  return { ...values, compactor: launchCompactor() };
}

/** A port for HTTP has no effect if nothing listens for it. */
function redisOnlyRule(settings: Settings): OptionRule<'httpPort'> {
  const idleWith = () => (settings.givenOf(rows.redisOnly) ? settings.originOf(rows.redisOnly) : undefined);
  return { options: ['httpPort'], idleWith, remedy: 'leave one of them out' };
}

function isWithoutLog(settings: Settings): boolean {
  return settings.valuesOf([rows.durability]).durability === 'snapshot';
}

/** A log that is not written has no limit. */
function withoutLogRule(settings: Settings): OptionRule<'logLimitBytes'> {
  const idleWith = () => (isWithoutLog(settings) ? `${settings.originOf(rows.durability)} snapshot` : undefined);
  return { options: ['logLimitBytes'], idleWith };
}

/** The settings without those of a place that loses against an option that gives them no effect. */
function withoutIdle(all: Settings): Settings {
  const settings = all.overriding(rows.inMemory, rowsOfData).overriding(rows.redisOnly, [rows.httpPort]);
  return isWithoutLog(settings) ? settings.overriding(rows.durability, [rows.logLimitBytes]) : settings;
}

/** The options that a server is started with, and the settings that can be read again while it runs. */
interface Start {
  options: ServeOptions;
  settings: Settings;
  tokens: Tokens;
}

const ignore = () => undefined;
const onWarning = (message: string) => writeMessage(`firstseen: ${message}`);

/** @throws FirstseenError E_USAGE for one port for both protocols */
function checkDifferentPorts(port: number, httpPort: number, settings: Settings): void {
  // 0 takes any free port.
  if (port !== httpPort || port === 0) return;
  const [origin, httpOrigin] = [settings.originOf(rows.port), settings.originOf(rows.httpPort)];
  throw new FirstseenError(
    'E_USAGE',
    `${origin} and ${httpOrigin} are both ${port}, but each protocol needs its own port`,
    {
      remedy: `give another ${httpOrigin}`,
    },
  );
}

async function startOf(flags: GivenValues): Promise<Start> {
  const { settings: allSettings, file } = await readSettings(flags);
  const settings = withoutIdle(allSettings);
  settings.check(rowsOfData, [inMemoryRule(settings, namesOfData), withoutLogRule(settings)]);
  const security = await readSecurity(settings, onWarning);
  settings.check(rows.addressRows, [redisOnlyRule(settings)]);
  const { redisOnly, httpPort, ...address } = settings.valuesOf(rows.addressRows);
  checkPort(address.port, settings.originOf(rows.port));
  checkPort(httpPort, settings.originOf(rows.httpPort));
  if (!redisOnly) checkDifferentPorts(address.port, httpPort, settings);
  const { memoryBytes = defaultMemoryBytes(), ...values } = settings.valuesOf(rows.serverRows);
  checkLeast(values.requestBytes, MIN_REQUEST_BYTES, settings.originOf(rows.requestBytes), 'commands need');
  checkLeast(memoryBytes, MIN_COST_BYTES, settings.originOf(rows.memoryBytes), 'the smallest detector takes');
  checkReach(address.host, settings, security);
  const tokens = new Tokens(security.tokens);
  const options = {
    ...{ ...address, ...values, memoryBytes, certificates: security.certificates },
    httpPort: redisOnly ? undefined : httpPort,
    machineBytes: machineMemoryBytes(),
    detectors: declaredIn(file),
    version: packageVersion(),
    planning: new PlanningThread(),
    onWarning,
    authenticate: security.tokens.length > 0 ? authenticatorOf(tokens) : undefined,
    data: await dataOptions(settings),
  };
  return { options, settings, tokens };
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
    const { tokens: newTokens, certificates } = await readSecurity(settings, onWarning);
    tokens.replace(newTokens);
    if (certificates && options.certificates) server.renewCertificates(certificates);
    writeMessage('firstseen: the server has read tokens and certificates again');
  } catch (error) {
    onWarning(`tokens and certificates stay as they were: ${problemText(error)}`);
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
  const detectorCount = formatCounted(detectors, 'detector');
  const where = data ? `${data.folder}, durability ${data.durability}, ${detectorCount}` : 'in memory only';
  const lines = [`firstseen ${version}`, `redis protocol: ${host}:${port}`];
  if (httpPort !== undefined) lines.push(httpAddress(options, server));
  lines.push(...maps.map((map) => `map: ${map}`));
  lines.push(`clients: ${clients}`, `data: ${where}`);
  // A volume that is not mounted looks like a first start.
  if (data && madeEmpty.length > 0) lines.push(`empty: ${madeEmpty.join(', ')} (declared, but not in the data folder)`);
  if (data && newFolderId !== undefined) lines.push(`made data folder: ${data.folder}, id ${newFolderId}`);
  lines.push(`memory for detectors: ${formatBytes(memoryBytes)}`);
  return `${lines.join('\n')}\n`;
}

/** Makes the data folder of a server with these options, unless it is there. */
export async function makeData(flags: GivenValues): Promise<void> {
  const { settings } = await readSettings(flags);
  const { folder } = settings.valuesOf(rows.dataRows);
  checkRules([inMemoryRule(settings, ['init'])], { init: true }, flagOfOption);
  const { makeFolder } = await import('../io/system/makefolder.js');
  await makeFolder(folder);
  const [foreignNames, logs, sets] = await Promise.all([
    foreignFiles(folder),
    sequencesOf(folder, 'log'),
    sequencesOf(folder, 'snapshot'),
  ]);
  const { isNew, id } = await FolderMarker.open(folder);
  const hasData = logs.length + sets.length > 0;
  const madeText = hasData ? `re-created ${MARKER} for the data in` : 'made data folder';
  writeMessage(`firstseen: ${isNew ? madeText : 'data folder exists already:'} ${folder}, id ${id}`);
  // A folder of something else, named by mistake.
  if (isNew && foreignNames.length > 0)
    onWarning(`${folder} also has files that do not belong to a server, such as ${foreignNames[0]}`);
}

/** Asks a server that runs with the same options. */
export async function checkRunning(flags: GivenValues): Promise<void> {
  const { settings } = await readSettings(flags);
  const { host, port } = settings.valuesOf(rows.addressRows);
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
async function startServer(flags: GivenValues, stop: StopListener): Promise<[Start, RunningServer] | undefined> {
  const stopping = stop.signal;
  try {
    const start = await unlessAborted(startOf(flags), stopping);
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

/**
 * Runs a server until a signal asks it to stop, or asks one that runs. A second signal ends the process at once.
 * @param stop listens already, because a large log is read for seconds
 */
export async function runServer(flags: GivenValues, stop: StopListener): Promise<void> {
  const runningServer = await startServer(flags, stop);
  if (runningServer === undefined) return;
  const [{ options }, server] = runningServer;
  const { cut } = server.recovered ?? {};
  if (cut !== undefined) writeMessage(`firstseen: ${cutMessage(cut, `${longFlag(rows.onDamage)} cut`)}`);
  writeGreeting(greeting(options, server));
  try {
    await Promise.race([aborted(stop.signal), server.failed]);
    await Promise.race([server.drain(), server.failed]);
  } finally {
    await server.close();
    endUnread();
  }
}
