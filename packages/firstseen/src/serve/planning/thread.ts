// Plans in another thread, one after the other, so that no client waits for the plan of another one. The thread starts with the first plan.

import { Worker } from 'node:worker_threads';
import { type ErrorData, FirstseenError } from '../../base/errors.js';
import { threadEnded } from '../../base/threadended.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { type CreateOptions, isPlanned, settingsWithKeys } from '../../plan/keys.js';
import { headerChecksum } from '../../snapshot/checksum.js';
import { headerOf } from '../../snapshot/format.js';
import { type Checksum, decodeFrame } from '../../snapshot/frame.js';
import {
  type AdviceOptions,
  MAX_WAITING_PLANS,
  type Planning,
  type PredictedRates,
  type PredictionTask,
  tooManyPlans,
} from './planning.js';

/** A task for the thread. */
export type PlanTask = { settings: CreateOptions } | { advice: AdviceOptions } | { prediction: PredictionTask };

/** The answer of the thread to each task. */
export type PlanAnswer =
  | { header: Uint8Array }
  | { recommended: unknown }
  | { predicted: PredictedRates | undefined }
  | { failure: ErrorData }
  | { error: unknown };

/** @throws FirstseenError that of the plan, or E_THREAD when the thread has ended. */
function checked<T extends PlanAnswer>(answer: PlanAnswer, isWanted: (answer: PlanAnswer) => answer is T): T {
  if (isWanted(answer)) return answer;
  if ('failure' in answer) {
    const { code, problem, details } = answer.failure;
    throw new FirstseenError(code, problem, details);
  }
  throw threadEnded('', 'error' in answer ? answer.error : undefined);
}

export class PlanningThread implements Planning {
  #worker: Worker | undefined;
  /** Settle the tasks in progress, in their order. */
  #pending: ((answer: PlanAnswer) => void)[] = [];
  #checksum: Promise<Checksum> | undefined;

  async settingsOf(options: CreateOptions): Promise<DetectorSettings> {
    if (!isPlanned(options)) return settingsWithKeys(options);
    const { header } = checked(await this.#ask({ settings: options }), (answer) => 'header' in answer);
    this.#checksum ??= headerChecksum(undefined);
    return headerOf(decodeFrame(header, await this.#checksum)).settings;
  }

  async recommend(advice: AdviceOptions): Promise<unknown> {
    return checked(await this.#ask({ advice }), (answer) => 'recommended' in answer).recommended;
  }

  async predict(prediction: PredictionTask): Promise<PredictedRates | undefined> {
    return checked(await this.#ask({ prediction }), (answer) => 'predicted' in answer).predicted;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(task: PlanTask): Promise<PlanAnswer> {
    if (this.#pending.length > MAX_WAITING_PLANS) throw tooManyPlans();
    this.#worker ??= this.#start();
    return new Promise((resolve) => {
      this.#pending.push(resolve);
      this.#worker?.postMessage(task);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./planning.js', import.meta.url));
    worker.on('message', (answer: PlanAnswer) => this.#pending.shift()?.(answer));
    worker.on('error', (error) => this.#end({ error }));
    worker.on('exit', () => this.#end({ error: new Error('the thread that plans ended') }));
    // A server that stops does not wait for it.
    worker.unref();
    return worker;
  }

  /** The next plan starts another thread. */
  #end(answer: PlanAnswer): void {
    this.#worker = undefined;
    for (const settle of this.#pending.splice(0)) settle(answer);
  }
}
