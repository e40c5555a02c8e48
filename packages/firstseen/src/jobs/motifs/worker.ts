// One thread of a pipeline: does its share of every batch, for as long as it is let live.

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

/** Hashes records that no thread has taken yet; false when there are none. */
function hashGroup(batch: number): boolean {
  const place = batch % seat.batches;
  const group = control.claim(batch, place);
  if (!group) return false;
  motifs.hash(motifs.layout.batches[place] as BatchLayout, group.from, group.to);
  control.finish(place);
  return true;
}

for (let batch = 0; ; batch++) {
  const place = batch % seat.batches;
  const records = control.taken(batch, place);
  // Whoever has to wait for the others hashes for the next batch.
  const idle = () => hashGroup(batch + 1);
  while (hashGroup(batch));
  control.finished(place, idle);
  const batchPlace = motifs.layout.batches[place] as BatchLayout;
  motifs.observe(batchPlace, 0, records, batch * settings.batchRecords, () => control.meet(idle));
  // The answers are those of thread 0; whoever waits for them needs no more.
  if (seat.thread === 0) parentPort?.postMessage(batch);
}
