// The cost of a secret: frames, hashes and observes the same lines with and without a secret.

import { configureScan, Detector, kernelOf, wholeKernel } from 'firstseen/internal';
import { median } from '../tools/support/median.mjs';
import { generator } from '../tools/support/random.mjs';
import { medianSpeedRatio, takeTurns, timed } from './lib/rounds.mjs';
import { row } from './lib/table.mjs';

const TARGET = 0.5;
const KEY_BYTES = 64;
const LINE_BYTES = KEY_BYTES + 1;
const NEWLINE = 0x0a;
const SEED = 1;
const SECRET = '000102030405060708090a0b0c0d0e0f';

/** A detector whose memory holds a batch of lines. */
class Contender {
  #next = generator(SEED);
  #kernel;
  #detector;

  constructor(detector) {
    this.#detector = detector;
    this.#kernel = kernelOf(detector);
    configureScan(
      this.#kernel,
      { format: 'lines', fingerprint: detector.settings.fingerprint, maxRecordBytes: LINE_BYTES },
      { offset: 0, bytes: 0 },
    );
  }

  static async open(options) {
    const regionBytes = 2 ** 21;
    return new Contender(await Detector.create(options, { regionBytes, module: await wholeKernel() }));
  }

  /** The time in seconds for `batches` batches of new lines, in only the scanner or in the scanner and the detector. */
  take(batches, isObserved) {
    const count = this.#kernel.batchCapacity;
    const start = this.#kernel.regionOffset;
    const scan = this.#kernel.exports.scan;
    let seconds = 0;
    for (let batch = 0; batch < batches; batch++) {
      this.#fill(count);
      seconds += timed(() => {
        scan(start, start + count * LINE_BYTES, 1);
        if (isObserved) this.#detector.observePlaced(count);
      });
    }
    return seconds;
  }

  /** Fills the batch with new lines of letters. */
  #fill(count) {
    const { bytes, regionOffset } = this.#kernel;
    const words = new Uint32Array(bytes.buffer, regionOffset, (count * LINE_BYTES) / 4);
    for (let i = 0; i < words.length; i++) words[i] = (this.#next() & 0x0f0f0f0f) | 0x60606060;
    for (let i = 1; i <= count; i++) bytes[regionOffset + i * LINE_BYTES - 1] = NEWLINE;
  }
}

function measureTurns(title, contenders, { batches, rounds, elements, target }, isObserved) {
  const turns = Object.entries(contenders).map(([name, contender]) => ({
    name: `${title}, ${name}`,
    turn: () => contender.take(batches, isObserved),
  }));
  const seconds = takeTurns(turns, rounds);
  const [plain, keyed] = turns.map(({ name }) => ({
    name,
    measured: elements / median(seconds[name]) / 1e6,
    unit: 'M keys/s',
  }));
  const value = medianSpeedRatio(seconds[keyed.name], seconds[plain.name]);
  return [row(plain), row({ ...keyed, compared: { to: 'of xxh64', value }, target })];
}

/** @returns {Promise<import('./lib/table.mjs').Section>} */
export async function measureKeyed({ isQuick }) {
  const { batches, rounds } = isQuick ? { batches: 1, rounds: 3 } : { batches: 16, rounds: 25 };
  const memory = '64MiB';
  const contenders = {
    xxh64: await Contender.open({ memory }),
    siphash: await Contender.open({ memory, secret: SECRET }),
  };
  const scale = { batches, rounds, elements: batches * 2 ** 14 };
  return {
    title: 'Keyed detectors',
    text:
      `One thread, lines of ${KEY_BYTES} bytes and a newline, all new, the default detector of ${memory}, ${scale.elements} lines a ` +
      `turn, median of ${rounds} rounds.`,
    rows: [
      ...measureTurns('framed and hashed', contenders, { ...scale, target: null }, false),
      ...measureTurns('taken by a detector', contenders, { ...scale, target: { bound: 'least', value: TARGET } }, true),
    ],
  };
}
