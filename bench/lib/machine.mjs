// The machine of the measurements.

import { arch, cpus, platform, release, totalmem } from 'node:os';

/** @returns {{processor: string, cores: number, memoryGibibytes: number, node: string, system: string}} */
export function describeMachine() {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGibibytes: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    system: `${platform()} ${release()} ${arch()}`,
  };
}

/** @param {ReturnType<typeof describeMachine>} machine */
export function machineText({ processor, cores, memoryGibibytes, node, system }) {
  return `${processor}, ${cores} cores, ${memoryGibibytes} GiB; Node ${node}; ${system}`;
}
