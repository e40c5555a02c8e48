// Tests runs over objects with stores of others, and with faults between: `npm run test:stores`, or `npm run test:stores -- --quick` with
// one store and fewer kills. Prints why tests were skipped. The last line is `N passed, N failed, N skipped`.

import { readArguments } from '../../tools/arguments.mjs';
import { runTests } from '../../tools/nodetests.mjs';

const { values } = readArguments({ options: { quick: { type: 'boolean' } } });
if (values.quick) process.env.STORES_QUICK = 'yes';
runTests(import.meta.url, ['objects']);
