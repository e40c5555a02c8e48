// Threads compared with one thread, and with two processes that share nothing, which show the speed-up that the machine allows.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../tools/support/median.mjs';
import { medianSpeedRatio, takeAsyncTurns } from './lib/rounds.mjs';
import { speedupTarget } from './lib/speedup.mjs';
import { row } from './lib/table.mjs';
import { measureThreadedCommands } from './threadedcommands.mjs';

const script = fileURLToPath(new URL('./lib/threadedturns.mjs', import.meta.url));
/** The least speed-up by two threads. */
const MIN_RATIO = 1.7;

/** `exact` has the layout classic only, which threads do not divide. */
const detectors = [
  { algorithm: 'qht', layout: 'blocked' },
  { algorithm: 'bloom', layout: 'blocked', parameters: { k: 7 } },
  { algorithm: 'sbf', layout: 'blocked', parameters: { Max: 1, K: 2, P: 4 } },
  { algorithm: 'exact', layout: 'classic' },
];

const contenders = [
  { name: 'one thread', threads: 1, processes: 1 },
  { name: 'two threads', threads: 2, processes: 1 },
  { name: 'two processes', threads: 1, processes: 2 },
];

/** Rejects when the process ends. */
async function endOf(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`a process of the benchmark ended with code ${code}`);
}

/** Processes that observe the elements of a turn together, each an equal part. */
class Contender {
  #children;
  #ends;

  constructor(children) {
    this.#children = children;
    this.#ends = children.map(endOf);
    // An end matters only to a turn.
    for (const end of this.#ends) end.catch(() => undefined);
  }

  /** Resolves when the processes have their detectors. */
  static async open({ threads, processes }, options, { elements, ...scale }) {
    const own = JSON.stringify({ ...options, ...scale, threads, elements: elements / processes });
    const contender = new Contender(Array.from({ length: processes }, () => fork(script, [own])));
    await contender.#answers();
    return contender;
  }

  /** Observes new elements; the time in seconds without that for drawing them. */
  async turn() {
    await this.#ask('draw');
    const startedMilliseconds = performance.now();
    await this.#ask('observe');
    return (performance.now() - startedMilliseconds) / 1000;
  }

  close() {
    for (const child of this.#children) child.kill();
  }

  async #ask(name) {
    const answers = this.#answers();
    for (const child of this.#children) child.send(name);
    await answers;
  }

  #answers() {
    const all = Promise.all(this.#children.map((child) => once(child, 'message')));
    return Promise.race([all, ...this.#ends]);
  }
}

/** The rows of a contender of each kind: the speed of one thread, and that of the others relative to it. */
function speedRows(name, seconds, elements, hasTarget) {
  const [one, two, aside] = contenders.map((contender) => seconds[contender.name]);
  const asideRatio = medianSpeedRatio(aside, one);
  const target = speedupTarget(MIN_RATIO, asideRatio);
  const speedRow = (kind, own, rest = {}) =>
    row({ name: `${name}, ${kind}`, measured: elements / median(own) / 1e6, unit: 'M elements/s', ...rest });
  const times = (value) => ({ to: 'times one thread', value });
  return [
    speedRow(contenders[0].name, one),
    speedRow(contenders[1].name, two, {
      compared: times(medianSpeedRatio(two, one)),
      ...(hasTarget ? { target } : {}),
    }),
    speedRow(contenders[2].name, aside, { compared: times(asideRatio) }),
  ];
}

async function measureDetector(options, { memoryBytes, rounds, ...scale }) {
  const opened = [];
  try {
    for (const contender of contenders) {
      opened.push(await Contender.open(contender, { ...options, memory: memoryBytes }, scale));
    }
    const turns = opened.map((contender, i) => ({ name: contenders[i].name, turn: () => contender.turn() }));
    const seconds = await takeAsyncTurns(turns, rounds);
    const name = `${options.algorithm}, ${options.layout}`;
    return speedRows(name, seconds, scale.elements, options.layout === 'blocked');
  } finally {
    for (const contender of opened) contender.close();
  }
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureThreads({ isQuick, folder }) {
  const scale = isQuick
    ? { memoryBytes: 2 ** 22, elements: 2 ** 17, batchElements: 2 ** 16, prefillElements: 2 ** 17, rounds: 1 }
    : { memoryBytes: 2 ** 29, elements: 2 ** 22, batchElements: 2 ** 18, prefillElements: 2 ** 24, rounds: 9 };
  const rows = [];
  for (const options of detectors) rows.push(...(await measureDetector(options, scale)));
  const commands = await measureThreadedCommands({ isQuick, folder });
  return {
    title: 'Threads',
    text:
      `Random 64-bit fingerprints through \`observeBatch\` of the library, ${scale.elements} elements a turn in batches of ` +
      `${scale.batchElements}, detectors of ${scale.memoryBytes / 2 ** 20} MiB that hold ${scale.prefillElements} elements, ` +
      `median of ${scale.rounds} rounds. Two processes have a detector of this size each, and half of the elements each. ` +
      commands.text,
    rows: [...rows, ...commands.rows],
  };
}
