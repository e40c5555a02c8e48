// Tests the engines: `npm run test:engines`, or `npm run test:engines -- --quick` for one job of each kind. Prints why tests were
// skipped. The last line is `N passed, N failed, N skipped`.

import { readArguments } from '../../tools/arguments.mjs';
import { runTests } from '../../tools/nodetests.mjs';

const { values } = readArguments({ options: { quick: { type: 'boolean' } } });
process.env.FIRSTSEEN_ENGINES = values.quick ? 'quick' : 'all';
runTests(import.meta.url, ['hadoop', 'spark', 'corpora']);
