// Servers for tests, each a process of its own on a free port.

import { freePorts } from '../../../tools/ports.mjs';
import { firstseen } from '../../../tools/support/paths.mjs';
import { started } from '../../support/started.mjs';

/** Starts `firstseen serve`, in memory only. */
export async function startFirstseen({ maps = [], memory = '256MiB', config } = {}) {
  const [port, httpPort] = await freePorts(2);
  const mapFlags = maps.flatMap((map) => ['--map', map]);
  const configFlags = config === undefined ? [] : ['--config', config];
  const own = ['--port', String(port), '--memory', memory, '--in-memory', '--http-port', String(httpPort)];
  const flags = [...own, ...configFlags, ...mapFlags];
  return { ...(await started(process.execPath, [firstseen, 'serve', ...flags], port)), httpPort };
}

/** Starts a server of the kind of Redis, in memory only. */
export async function startRedis(path, { module } = {}) {
  const [port] = await freePorts(1);
  const modules = module === undefined ? [] : ['--loadmodule', module];
  const inMemory = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--dir', '/'];
  return started(path, ['--port', String(port), ...inMemory, ...modules], port);
}
