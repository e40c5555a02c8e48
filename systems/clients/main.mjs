// Tests the server with clients and servers of others, `firstseen pipe` with a parent in Go, and the Python package: `npm run test:clients`,
// or `npm run test:clients -- --quick` without the clients of the server whose programs are compiled and without Scrapy. With `--report`, writes the differences to Redis with
// RedisBloom into docs/SERVER.md instead. Prints why tests were skipped. The last line is `N passed, N failed, N skipped`.

import { readArguments } from '../../tools/arguments.mjs';
import { runTests } from '../../tools/nodetests.mjs';
import { writeReport } from './conformance/report.mjs';

const { values } = readArguments({ options: { quick: { type: 'boolean' }, report: { type: 'boolean' } } });
// The server refuses variables that begin with its own name.
if (values.quick) process.env.CLIENTS_QUICK = 'yes';
if (values.report) await writeReport();
else runTests(import.meta.url, ['conformance', 'unmodified', 'examples', 'documents', 'pipe', 'python']);
