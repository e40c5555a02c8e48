// Tests the server with clients and servers of others, `firstseen pipe` with a parent in Go, and the Python package: `npm run test:clients`,
// or `npm run test:clients -- --quick` without the clients of the server whose programs are compiled and without Scrapy. With `--report`, writes the differences to Redis with
// RedisBloom into docs/SERVER.md instead. Prints why tests were skipped. The last line is `N passed, N failed, N skipped`.

import { runTests } from '../../tools/nodetests.mjs';
import { writeReport } from './conformance/report.mjs';

// The server refuses variables that begin with its own name.
if (process.argv.includes('--quick')) process.env.CLIENTS_QUICK = 'yes';
if (process.argv.includes('--report')) await writeReport();
else runTests(import.meta.url, ['conformance', 'unmodified', 'examples', 'documents', 'pipe', 'python']);
