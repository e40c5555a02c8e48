// Tests the server with clients and servers of others: `npm run test:clients`. With `--report`, writes the differences to Redis with
// RedisBloom into docs/SERVER.md instead. Prints why tests were skipped. The last line is `N passed, N failed, N skipped`.

import { runTests } from '../tools/nodetests.mjs';
import { writeReport } from './conformance/report.mjs';

if (process.argv.includes('--report')) await writeReport();
else runTests(import.meta.url, ['conformance', 'unmodified', 'examples', 'documents']);
