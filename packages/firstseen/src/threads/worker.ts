// A thread of a crew: waits for what its kernels are made of, and does tasks until it is terminated.

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { Kernel, type KernelOptions } from '../kernel/kernel.js';
import { equalKeyIn } from '../kernel/keytext.js';
import { FunctionTable, Tasks } from './tasks.js';

export interface CrewMember {
  /** The distance by which the memory of each seat is moved. */
  kernel: KernelOptions & Required<Pick<KernelOptions, 'module' | 'memory'>>;
  /** The distance by which the memory of each seat is moved. */
  bases: readonly number[];
  /** Address of the tasks. */
  tasks: number;
}

const [member] = await once(parentPort as MessagePort, 'message');
const { kernel: options, bases, tasks: offset } = member as CrewMember;
const kernels = await Promise.all(bases.map((threadBase) => Kernel.create({ ...options, threadBase, equalKeyIn })));
const tables = kernels.map(({ exports }) => new FunctionTable(exports));
const tasks = new Tasks(options.memory, offset, tables);
tasks.reportReady();
for (;;) {
  tasks.waitForWork();
  tasks.work();
}
