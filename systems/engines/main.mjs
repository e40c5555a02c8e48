// Tests the engines: `npm run test:engines`, or `npm run test:engines -- --quick` for one job of each kind. Prints why tests were
// skipped. The last line is `N passed, N failed, N skipped`.

import { runTests } from '../../tools/nodetests.mjs';

const isQuick = process.argv.includes('--quick');
process.env.FIRSTSEEN_ENGINES = isQuick ? 'quick' : 'all';
runTests(import.meta.url, ['hadoop', 'spark', 'corpora']);
