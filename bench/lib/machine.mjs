// The machine of the measurements.

import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';

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

/** Other programs slow all contenders, but not equally. */
export function loadText() {
  return `The load of the machine was ${loadavg()[0].toFixed(0)} at the end, with ${availableParallelism()} processors.`;
}
