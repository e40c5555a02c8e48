// Tests the engines: `npm run test:engines`, or `npm run test:engines -- --quick` for one job of each kind. The last line is
// `N passed, N failed, N skipped`.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const isQuick = process.argv.includes('--quick');
process.env.FIRSTSEEN_ENGINES = isQuick ? 'quick' : 'all';

const files = ['hadoop', 'spark'].map((name) => fileURLToPath(new URL(`./${name}.test.mjs`, import.meta.url)));
const counts = { passed: 0, failed: 0, skipped: 0 };
const events = run({ files, concurrency: false });

/** Whether an event is about a test, not about a file or a group of tests. */
function isTest({ details, file, name }) {
  return details?.type !== 'suite' && !(file !== undefined && name === file);
}

events.on('test:fail', (event) => {
  if (isTest(event)) counts.failed++;
});
events.on('test:pass', (event) => {
  if (!isTest(event)) return;
  if (event.skip === undefined) counts.passed++;
  else counts.skipped++;
});
const text = events.compose(new spec());
text.on('end', () => {
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
});
text.pipe(process.stdout, { end: false });
