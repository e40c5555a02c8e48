import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

function source(name: string): string {
  return fileURLToPath(new URL(`./packages/firstseen/src/${name}.ts`, import.meta.url));
}

/** The tests of runtimes need what tools/runtimes.mjs fetches, which runs them and no others. */
const runtimes = 'packages/firstseen/test/runtimes/*.test.ts';
const isLongForm = process.env.TEST_FORM === 'long';
/** Tests of the long form: `npm run test:long`. */
const long = '**/*.long.test.{ts,mjs}';
/** Tests that start processes or change what their process shares, such as its working folder. */
const processes = [
  'packages/firstseen/test/{docs,examples,package}/**/*.test.ts',
  'packages/*/test/**/*.process.test.ts',
  '{bench,tools}/test/**/*.test.mjs',
];

/** Tests that put other modules in place of some, which must not be loaded yet. Each file has a process. */
const mocked = ['packages/lab/test/cli/**/*.test.ts', 'packages/*/test/**/*.mocked.test.ts'];

/** Tests that run the command in a process that stays, as test/cli/support/runner.ts has it. */
const commands = ['packages/firstseen/test/{cli,corpus}/**/*.test.ts'];

function supportFile(name: string): string {
  return `packages/firstseen/test/support/${name}.ts`;
}

/** tools/near records which lines each test reaches, and chooses tests, by a runner of its own. */
const isNear = Boolean(process.env.NEAR_TESTS_RECORD ?? process.env.NEAR_TESTS_SELECTION);

/** The options of every project: projects do not inherit the options beside them. */
const common = {
  ...(isNear && { runner: './tools/near/runner.mjs' }),
  setupFiles: ['equality', 'starts'].map(supportFile),
  // Whole products and searches of the long form take minutes, and several times as long beside other work.
  testTimeout: isLongForm ? 1_800_000 : 300_000,
  // Large memories of kernels have the collector run often. With threads of its own, it takes twice the processor time for each.
  execArgv: ['--single-threaded-gc'],
  hookTimeout: 120_000,
};

function project(
  name: string,
  include: string[],
  { exclude = [] as string[], isolate = true, setupFiles = [] as string[] } = {},
) {
  return {
    extends: true as const,
    test: {
      ...common,
      ...{ name, include, isolate, exclude: ['**/node_modules/**', ...exclude] },
      setupFiles: [...common.setupFiles, ...setupFiles],
    },
  };
}

const projects = [
  project('pure', ['packages/*/test/**/*.test.ts'], {
    exclude: [...processes, ...mocked, ...commands, long, runtimes],
    isolate: false,
    setupFiles: ['noprocesses', 'processortime'].map(supportFile),
  }),
  project('command', commands, { exclude: [...processes, ...mocked, long], isolate: false }),
  project('process', processes, { exclude: [...mocked, long], isolate: false }),
  project('mocked', mocked, { exclude: [long] }),
];
if (isLongForm) projects.push(project('long', [long]));

export default defineConfig({
  resolve: {
    // Tests import sources, and so does the laboratory in them: of the built package every class would be there twice.
    alias: [
      { find: /^firstseen$/, replacement: source('index') },
      { find: /^firstseen\/(errors|internal|motifs|near|node|partitions|plan)$/, replacement: source('$1') },
    ],
  },
  test: {
    projects: process.env.FIRSTSEEN_RUNTIMES === undefined ? projects : [project('runtimes', [runtimes])],
    // An edit is seen by the tests that run built files.
    globalSetup: 'tools/build.mjs',
    // One more than the processors of a small machine: some tests wait for processes, timers and disks.
    maxWorkers: 3,
  },
});
