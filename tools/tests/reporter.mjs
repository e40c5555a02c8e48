// A reporter for vitest that prints the tests that fail, and writes what tools/test.mjs tells about the files: their counts, times and
// processes, and why tests were skipped.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { DefaultReporter } from 'vitest/node';
import { resultsPath, root } from './results.mjs';

/** What is kept of a file of tests. */
function resultOf(module) {
  const tests = [...module.children.allTests()];
  const count = (state) => tests.filter((test) => test.result().state === state).length;
  const failed = count('failed');
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  const { starts = 0, processor } = module.meta();
  return {
    file: relative(root, module.moduleId),
    project: module.project.name,
    wallSeconds: (duration + collectDuration + setupDuration) / 1000,
    passed: count('passed'),
    // A file that cannot be loaded, or whose preparation fails, has no failed test.
    failed: Math.max(failed, module.state() === 'failed' ? 1 : 0),
    skipped: tests.filter((test) => test.result().state === 'skipped').map((test) => test.result().note ?? ''),
    starts,
    processor,
  };
}

export default class ResultsReporter extends DefaultReporter {
  constructor() {
    super({ summary: process.stdout.isTTY === true });
  }

  printTestModule(module) {
    if (process.stdout.isTTY || module.state() === 'failed') super.printTestModule(module);
  }

  async onTestRunEnd(modules, errors, reason) {
    await super.onTestRunEnd(modules, errors, reason);
    mkdirSync(dirname(resultsPath), { recursive: true });
    writeFileSync(resultsPath, JSON.stringify(modules.map(resultOf)));
  }
}
