// One thread of a pipeline: does its share of every batch until it is terminated.

import { parentPort, workerData } from 'node:worker_threads';
import { type BatchLayout, MotifKernel, type ThreadSeat } from '../../near/motifkernel.js';
import type { MotifSettings } from '../../near/motifsettings.js';
import { Control } from './control.js';

export interface WorkerData {
  settings: MotifSettings;
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  seat: ThreadSeat;
}

const { settings, module, memory, seat } = workerData as WorkerData;
const motifs = await MotifKernel.create(settings, { module, memory }, seat);
const control = new Control(memory, motifs.layout.control, seat.threads);

/** Hashes a group of records that no thread has claimed; false if there is none. */
function hashGroup(batch: number): boolean {
  const slot = batch % seat.batches;
  const group = control.claim(batch, slot);
  if (!group) return false;
  motifs.hash(motifs.layout.batches[slot] as BatchLayout, group.from, group.to);
  control.finish(slot);
  return true;
}

for (let batch = 0; ; batch++) {
  const slot = batch % seat.batches;
  const records = control.taken(batch, slot);
  // A thread that waits for the others hashes records of the next batch.
  const idle = () => hashGroup(batch + 1);
  while (hashGroup(batch));
  control.finished(slot, idle);
  const batchLayout = motifs.layout.batches[slot] as BatchLayout;
  motifs.observe(batchLayout, 0, records, batch * settings.batchRecords, () => control.meet(idle));
  // The answers are complete when thread 0 is done.
  if (seat.thread === 0) parentPort?.postMessage(batch);
}
