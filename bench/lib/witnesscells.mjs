// The cells in which the intervals of the witness are measured: streams of numbers, and detectors for each of them.

import { universeOf } from 'firstseen/internal';

/** Numbers of hot elements and heartbeats are below this, all others from here on. */
const FIRST_OTHER = 4096;
/** Elements that Zipf's law is over. */
const ZIPF_UNIVERSE = 1_000_000;

/** A uniform integer in [0, limit). */
function below(next, limit) {
  return Math.floor((next() / 2 ** 32) * limit);
}

/** Each element is a uniform one of as many as give the share of distinct elements. */
function uniform(distinctShare) {
  return ({ count, next }) => {
    const universe = Math.round(universeOf(count, distinctShare * count));
    return () => FIRST_OTHER + below(next, universe);
  };
}

/** Half of the elements are new; the others repeat one of the last `window` positions. */
function recency(window) {
  return ({ next }) => {
    const recent = new Uint32Array(window);
    let position = 0;
    let distinct = FIRST_OTHER;
    return () => {
      const isNew = position === 0 || next() >= 2 ** 31;
      const number = isNew ? distinct++ : recent[below(next, Math.min(position, window))];
      recent[position++ % window] = number;
      return number;
    };
  };
}

const aliasTables = new Map();

/** The alias table of Walker (1977) for probabilities proportional to rank^-exponent. */
function aliasTable(universe, exponent) {
  const known = aliasTables.get(exponent);
  if (known) return known;
  const shares = Float64Array.from({ length: universe }, (_, i) => (i + 1) ** -exponent);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const chances = shares.map((share) => (share / total) * universe);
  const aliases = new Uint32Array(universe);
  const small = [];
  const large = [];
  chances.forEach((chance, i) => {
    (chance < 1 ? small : large).push(i);
  });
  while (small.length > 0 && large.length > 0) {
    const low = small.pop();
    const high = large.at(-1);
    aliases[low] = high;
    chances[high] -= 1 - chances[low];
    if (chances[high] < 1) small.push(large.pop());
  }
  for (const i of [...small, ...large]) chances[i] = 1;
  const table = { chances, aliases };
  aliasTables.set(exponent, table);
  return table;
}

/** Only a share of the elements repeats an earlier one, each of them equally often. */
function fewRepeats(share) {
  return ({ next }) => {
    let distinct = 0;
    return () => {
      const isRepeat = distinct > 0 && next() < share * 2 ** 32;
      return FIRST_OTHER + (isRepeat ? below(next, distinct) : distinct++);
    };
  };
}

/** Draws by Zipf's law. */
function zipf(exponent) {
  return ({ next }) => {
    const { chances, aliases } = aliasTable(ZIPF_UNIVERSE, exponent);
    return () => {
      const rank = below(next, ZIPF_UNIVERSE);
      return FIRST_OTHER + (next() < chances[rank] * 2 ** 32 ? rank : aliases[rank]);
    };
  };
}

/** Only new elements. */
function allNew() {
  let number = FIRST_OTHER;
  return () => number++;
}

/** One element makes a third of the stream. */
function withThird(others) {
  return (source) => {
    const other = others(source);
    return () => (source.next() < 2 ** 32 / 3 ? 0 : other());
  };
}

/** Each of some elements comes once in a period. */
function withHeartbeats(keys, period, others) {
  return (source) => {
    const other = others(source);
    const slots = new Int32Array(period).fill(-1);
    for (let key = 0; key < keys; ) {
      const slot = below(source.next, period);
      if (slots[slot] < 0) slots[slot] = key++;
    }
    let position = 0;
    return () => {
      const key = slots[position++ % period];
      return key < 0 ? other() : key;
    };
  };
}

/** A period of elements over and over, with a share of new ones between them. */
function periodic(period, newShare) {
  return ({ next }) => {
    let position = 0;
    let number = FIRST_OTHER + period;
    return () => (next() < newShare * 2 ** 32 ? number++ : FIRST_OTHER + (position++ % period));
  };
}

/** Elements of a universe in bursts of ten on average, a hundred at a time. */
function bursts(universe) {
  return ({ next }) => {
    const active = Uint32Array.from({ length: 100 }, () => FIRST_OTHER + below(next, universe));
    return () => {
      const slot = below(next, active.length);
      const number = active[slot];
      if (next() < 2 ** 32 / 10) active[slot] = FIRST_OTHER + below(next, universe);
      return number;
    };
  };
}

/** Half of the stream are some hot elements, the others come once. */
function hot(keys) {
  return ({ next }) => {
    const other = allNew();
    return () => (next() < 2 ** 31 ? below(next, keys) : other());
  };
}

/** The numbers of a stream with the truth about each. */
export function drawStream(make, count, next) {
  const draw = make({ count, next });
  const numbers = new Uint32Array(count);
  const isDuplicate = new Uint8Array(count);
  const seen = new Uint8Array(FIRST_OTHER + Math.max(ZIPF_UNIVERSE, 8 * count));
  let duplicates = 0;
  for (let i = 0; i < count; i++) {
    const number = draw();
    numbers[i] = number;
    isDuplicate[i] = seen[number];
    duplicates += seen[number];
    seen[number] = 1;
  }
  return { numbers, isDuplicate, distinct: count - duplicates, duplicates };
}

const KIB = 1024;
const SMALL = 32 * KIB;
const DEFAULT = 512 * KIB;

function detector(algorithm, memoryKib, witnessBytes) {
  return { algorithm, memoryBytes: memoryKib * KIB, witnessBytes };
}

/** Streams of a million elements, each with the detectors that observe it. A hard one has few repeats, or a few elements with many. */
export const streams = [
  {
    name: 'uniform, 15 % distinct',
    make: uniform(0.15),
    detectors: [detector('rlbsbf', 512, DEFAULT), detector('bsbf', 64, SMALL), detector('sbf', 64, DEFAULT)],
  },
  {
    name: 'uniform, 60 % distinct',
    make: uniform(0.6),
    detectors: [detector('qht', 1024, DEFAULT), detector('rlbsbf', 128, SMALL), detector('rsbf', 128, DEFAULT)],
  },
  {
    name: 'uniform, 90 % distinct',
    make: uniform(0.9),
    detectors: [detector('bloom', 1024, DEFAULT), detector('bsbfsd', 128, SMALL), detector('sqf', 512, DEFAULT)],
  },
  {
    name: 'few duplicates, 2 %',
    isHard: true,
    make: fewRepeats(0.02),
    detectors: [detector('rlbsbf', 2048, DEFAULT), detector('bsbf', 256, DEFAULT), detector('qht', 256, SMALL)],
  },
  {
    name: 'few duplicates, 0.2 %',
    isHard: true,
    make: fewRepeats(0.002),
    detectors: [detector('rlbsbf', 2048, DEFAULT), detector('qht', 256, DEFAULT), detector('sbf', 256, SMALL)],
  },
  {
    name: 'repeats of the last 1,000',
    make: recency(1000),
    detectors: [detector('rlbsbf', 1024, DEFAULT), detector('sbf', 128, DEFAULT), detector('qht', 2, SMALL)],
  },
  {
    name: 'repeats of the last 100,000',
    make: recency(100_000),
    detectors: [detector('qht', 128, DEFAULT), detector('rlbsbf', 256, SMALL), detector('buffer', 512, DEFAULT)],
  },
  {
    name: 'Zipf 0.8',
    make: zipf(0.8),
    detectors: [detector('rlbsbf', 1024, DEFAULT), detector('sbf', 128, SMALL), detector('qht', 128, DEFAULT)],
  },
  {
    name: 'Zipf 1.0',
    make: zipf(1),
    detectors: [detector('rlbsbf', 1024, DEFAULT), detector('sbf', 64, SMALL), detector('buffer', 128, DEFAULT)],
  },
  {
    name: 'Zipf 1.2',
    make: zipf(1.2),
    detectors: [detector('rlbsbf', 128, DEFAULT), detector('bsbf', 16, SMALL), detector('qht', 8, DEFAULT)],
  },
  {
    name: 'Zipf 1.5',
    make: zipf(1.5),
    detectors: [detector('rlbsbf', 16, SMALL), detector('bsbf', 4, DEFAULT), detector('qht', 1, SMALL)],
  },
  {
    name: 'one element of a third, uniform others',
    isHard: true,
    make: withThird(uniform(0.6)),
    detectors: [detector('sbf', 1, DEFAULT), detector('rlbsbf', 64, SMALL), detector('bsbf', 2, DEFAULT)],
  },
  {
    name: 'one element of a third, new others',
    isHard: true,
    make: withThird(() => allNew()),
    detectors: [detector('sbf', 1, DEFAULT), detector('bsbf', 1, DEFAULT), detector('sbf', 2, SMALL)],
  },
  {
    name: 'one heartbeat of 1,000',
    isHard: true,
    make: withHeartbeats(1, 1000, recency(500)),
    detectors: [detector('buffer', 6, DEFAULT), detector('qht', 1, SMALL), detector('sbf', 2, DEFAULT)],
  },
  {
    name: 'one heartbeat of 8,000',
    isHard: true,
    make: withHeartbeats(1, 8000, recency(1000)),
    detectors: [detector('buffer', 32, DEFAULT), detector('qht', 8, DEFAULT), detector('buffer', 32, SMALL)],
  },
  {
    name: '20 heartbeats of 4,000',
    isHard: true,
    make: withHeartbeats(20, 4000, recency(1000)),
    detectors: [detector('buffer', 16, DEFAULT), detector('qht', 4, SMALL), detector('sbf', 8, DEFAULT)],
  },
  {
    name: '20 heartbeats of 20,000',
    isHard: true,
    make: withHeartbeats(20, 20_000, recency(1000)),
    detectors: [detector('buffer', 64, DEFAULT), detector('qht', 16, DEFAULT), detector('buffer', 64, SMALL)],
  },
  {
    name: 'a period of 50,000 and 5 % new',
    isHard: true,
    make: periodic(50_000, 0.05),
    detectors: [detector('qht', 96, DEFAULT), detector('rlbsbf', 64, SMALL), detector('sbf', 64, DEFAULT)],
  },
  {
    name: 'bursts of ten',
    isHard: true,
    make: bursts(50_000),
    detectors: [detector('qht', 32, DEFAULT), detector('rlbsbf', 64, SMALL), detector('sbf', 4, DEFAULT)],
  },
  {
    name: '1,000 hot elements among new ones',
    make: hot(1000),
    detectors: [detector('qht', 8, DEFAULT), detector('rlbsbf', 32, SMALL), detector('buffer', 16, DEFAULT)],
  },
];
