// The options of a detector, and the options of a run that concern its detector.

import { type OptionRow, rowsWith } from './row.js';

/** The rate of false positives without a target: one new record in a million counts as harmless. Ours, and what `auto` chooses, have it. */
export const DEFAULT_TARGET_FPR = 1e-6;

/** The rate of false positives without a target of families of the papers, which show their figures at it. */
export const DEFAULT_FPR_OF_PAPERS = 0.01;

/** The memory of a detector of exact repeats, and of the table of near-duplicates. */
export const DEFAULT_MEMORY_BYTES = 64 * 2 ** 20;

/** The number of threads of every job. */
export const DEFAULT_THREADS = 'auto';

// Words and defaults that detectors use have names of their own: a bundle of `create` has them, and not the rows with the texts of the command.

/** The algorithm, unless one is named: the planner's choice. */
export const DEFAULT_ALGORITHM = 'auto';
export const DEFAULT_SEED = 0;
export const DEFAULT_PARTITIONS = 1;
/** With twice as much memory the witness takes more than 3 % of a run's time (docs/BENCHMARKS.md). */
export const DEFAULT_WITNESS_BYTES = 512 * 2 ** 10;
export const layoutWords = ['classic', 'blocked'] as const;
export const overloadWords = ['warn', 'fail'] as const;

/** Makes a row of a detector's own options. */
const detectorRow = /* @__PURE__ */ rowsWith({ group: 'detector', isOwn: true });

/** Makes a row of the witness. */
const witnessRow = /* @__PURE__ */ rowsWith({ group: 'report', isOwn: true, jobs: ['exact'], agrees: 'witness' });

export const memory = /* @__PURE__ */ detectorRow({
  name: 'memory',
  flag: '-m, --memory <size>',
  kind: 'size',
  default: DEFAULT_MEMORY_BYTES,
  shownDefault: '64MiB, or more if they require it',
  help: 'memory of the detector, such as 64MiB or 1G; auto: as little as the expectations require',
  jobs: ['exact', 'passages', 'map', 'reduce'],
  agrees: 'setting',
});

export const algorithm = /* @__PURE__ */ detectorRow({
  name: 'algorithm',
  flag: '-a, --algorithm <name>',
  kind: 'text',
  names: 'algorithms',
  default: DEFAULT_ALGORITHM,
  help: '{words}',
  jobs: ['exact', 'passages', 'map', 'combine', 'reduce'],
  agrees: 'setting',
});

export const fpr = /* @__PURE__ */ detectorRow({
  name: 'fpr',
  flag: '--fpr <rate>',
  kind: 'number',
  default: DEFAULT_TARGET_FPR,
  shownDefault: null,
  help: 'target rate of false positives',
  jobs: ['exact', 'passages', 'map', 'reduce'],
  agrees: 'following',
});

export const parameters = /* @__PURE__ */ detectorRow({
  name: 'parameters',
  flag: '--param <name=value>',
  kind: 'parameters',
  help: 'parameter of the algorithm by letter or name, such as K=2 or hashCount=2; repeatable',
  jobs: ['exact', 'passages', 'map', 'reduce'],
  agrees: 'following',
});

export const layout = /* @__PURE__ */ detectorRow({
  name: 'layout',
  flag: '--layout <name>',
  kind: 'word',
  words: layoutWords,
  help: 'layout of the cells in memory',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'setting',
});

export const seed = /* @__PURE__ */ detectorRow({
  name: 'seed',
  flag: '--seed <number>',
  kind: 'seed',
  default: DEFAULT_SEED,
  help: 'seed of all randomness, 0 to 2^64 - 1',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'setting',
});

export const fingerprint = /* @__PURE__ */ detectorRow({
  name: 'fingerprint',
  flag: '--fingerprint <name>',
  kind: 'name',
  names: 'fingerprints',
  help: 'hash function from a key to 64 bits',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'setting',
});

export const secret = /* @__PURE__ */ detectorRow({
  name: 'secret',
  flag: '--keyed',
  kind: 'presence',
  gives: 'random',
  help: 'hash with a random secret, so that nobody can craft input that fools the detector',
  jobs: ['exact', 'near', 'passages'],
  agrees: 'secret',
});

export const secretFile = {
  name: 'secretFile',
  flag: '--secret-file <file>',
  group: 'detector',
  kind: 'text',
  help: 'hash with the secret in a file: 32 hexadecimal digits',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'secret',
} as const satisfies OptionRow;

export const isUntrusted = {
  name: 'isUntrusted',
  flag: '--untrusted',
  group: 'detector',
  kind: 'presence',
  default: false,
  help: 'the input comes from strangers: hash with a secret, a random one if none is given, and refuse times that empty the window',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const gapsElements = /* @__PURE__ */ detectorRow({
  name: 'gapsElements',
  flag: '--gaps <n,...>',
  kind: 'gaps',
  help: 'gaps between duplicates in elements, for auto and sbf',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'following',
});

export const window = /* @__PURE__ */ detectorRow({
  name: 'window',
  aliases: ['windowElements'],
  flag: '--window <size>',
  kind: 'size',
  help: 'how far back repeats are always found, and perhaps farther: a number of elements, or a duration such as 90s, 30m, 1h, 1d',
  jobs: ['exact', 'passages', 'map', 'combine', 'reduce'],
  agrees: 'following',
});

export const windowSlack = /* @__PURE__ */ detectorRow({
  name: 'windowSlack',
  flag: '--window-slack <share>',
  kind: 'number',
  help: 'how much longer than the window an element may be remembered, as a share of it, such as 10%',
  jobs: ['exact', 'passages', 'map', 'combine', 'reduce'],
  agrees: 'following',
});

export const partitions = /* @__PURE__ */ detectorRow({
  name: 'partitions',
  flag: '--partitions <n>',
  kind: 'whole',
  default: DEFAULT_PARTITIONS,
  help: 'parts of the detector, a power of two up to 4096, that split and merge can move',
  jobs: ['exact', 'map', 'reduce'],
  agrees: 'setting',
});

export const spill = {
  name: 'spill',
  flag: '--spill <folder>',
  group: 'detector',
  kind: 'text',
  help: 'exact answers for any number of keys: read the input twice, and keep in this folder what memory cannot hold',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const threads = {
  name: 'threads',
  flag: '--threads <n>',
  group: 'detector',
  kind: 'threads',
  default: DEFAULT_THREADS,
  help: 'threads at most; auto: up to four if the detector has 256MiB and the input 512MiB or more, otherwise one; no answer depends on it',
  jobs: ['exact', 'map', 'reduce'],
} as const satisfies OptionRow;

export const refresh = /* @__PURE__ */ detectorRow({
  name: 'refresh',
  flag: '--refresh',
  kind: 'presence',
  help: 'restart the window of an element at every repeat',
  jobs: ['exact', 'passages', 'map', 'combine', 'reduce'],
  agrees: 'following',
});

export const distinctElements = /* @__PURE__ */ detectorRow({
  name: 'distinctElements',
  flag: '--expect-distinct <n>',
  kind: 'elements',
  help: 'expected number of distinct elements',
  jobs: ['exact', 'passages', 'map', 'reduce'],
  agrees: 'following',
});

export const lengthElements = /* @__PURE__ */ detectorRow({
  name: 'lengthElements',
  flag: '--expect-length <n>',
  kind: 'elements',
  help: 'expected number of elements, including repeats',
  jobs: ['exact', 'passages', 'map', 'reduce'],
  agrees: 'following',
});

export const onOverload = {
  name: 'onOverload',
  flag: '--on-overload <policy>',
  group: 'detector',
  kind: 'word',
  words: overloadWords,
  default: 'warn',
  help: 'what to do once the detector exceeds --fpr, or 1e-6 with auto; if it is given, auto may rely on the expectations',
  jobs: ['exact'],
} as const satisfies OptionRow;

export const witness = /* @__PURE__ */ witnessRow({
  name: 'witness',
  flag: '--no-witness',
  kind: 'presence',
  gives: false,
  default: true,
  help: 'do not measure error rates',
});

export const witnessMemory = /* @__PURE__ */ witnessRow({
  name: 'witness.memory',
  flag: '--witness-memory <size>',
  kind: 'size',
  default: DEFAULT_WITNESS_BYTES,
  help: 'memory of the witness, which measures the error rates',
});

/** The options in the order of the help. */
export const detectorOptions = [
  memory,
  algorithm,
  fpr,
  parameters,
  layout,
  seed,
  fingerprint,
  secret,
  secretFile,
  isUntrusted,
  gapsElements,
  window,
  windowSlack,
  partitions,
  spill,
  threads,
  refresh,
  distinctElements,
  lengthElements,
  onOverload,
] as const;
