// The runner of vitest that records which lines of the source each unit of tests reaches, and that runs only the chosen units. A unit is a
// suite at the top of a test file; tests outside of suites are the unit without a name.

import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TestRunner } from 'vitest';

const recordFolder = process.env.NEAR_TESTS_RECORD;
const selectionFile = process.env.NEAR_TESTS_SELECTION;

/** Notes what is reached from now on for a unit, also by the processes that its tests start. */
function beginUnit(file, name) {
  const unit = JSON.stringify([file, name]);
  const path = join(recordFolder, createHash('sha1').update(unit).digest('hex'));
  appendFileSync(path, `${unit}\n`);
  process.env.NEAR_TESTS_FILE = path;
  globalThis.__nearState ??= { seen: new Uint8Array(Number(process.env.NEAR_TESTS_POINTS)) };
  globalThis.__nearState.seen.fill(0);
  globalThis.__nearState.note = (point) => appendFileSync(path, `${point}\n`);
}

function skip(task) {
  task.mode = 'skip';
  for (const child of task.tasks ?? []) skip(child);
}

export default class NearRunner extends TestRunner {
  #nameOf(path) {
    return relative(this.config.root, path).replaceAll('\\', '/');
  }

  importFile(path, source) {
    if (recordFolder && source === 'collect') beginUnit(this.#nameOf(path), '');
    return super.importFile(path, source);
  }

  onCollected(files) {
    if (!selectionFile) return;
    const selection = JSON.parse(readFileSync(selectionFile, 'utf8'));
    for (const file of files) {
      const names = selection[this.#nameOf(file.filepath)];
      if (!names) continue;
      const isChosen = (task) => names.includes(task.type === 'suite' ? task.name : '');
      for (const task of file.tasks.filter((task) => !isChosen(task))) skip(task);
    }
  }

  async onBeforeRunSuite(suite) {
    if (recordFolder && suite.suite === undefined) {
      beginUnit(this.#nameOf(suite.file.filepath), suite === suite.file ? '' : suite.name);
    }
    await super.onBeforeRunSuite(suite);
  }

  async onAfterRunSuite(suite) {
    await super.onAfterRunSuite(suite);
    if (recordFolder && suite.suite === undefined && suite !== suite.file) {
      beginUnit(this.#nameOf(suite.file.filepath), '');
    }
  }
}
