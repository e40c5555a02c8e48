// Tests the server with clients and servers of others: `npm run test:clients`. With `--report`, writes the differences to Redis with
// RedisBloom into docs/SERVER.md instead. Prints why tests were skipped. The last line is `N passed, N failed, N skipped`.

import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { counterOf, countsText, skippedLines } from '../tools/counts.mjs';
import { writeReport } from './conformance/report.mjs';

function test() {
  const files = ['conformance', 'unmodified', 'examples', 'documents'].map((name) =>
    fileURLToPath(new URL(`./${name}.test.mjs`, import.meta.url)),
  );
  const events = run({ files, concurrency: false });
  const counted = counterOf(events);
  const text = events.compose(new spec());
  text.on('end', () => {
    const { reasons, ...counts } = counted();
    for (const line of skippedLines(reasons)) console.log(line);
    console.log(countsText(counts));
    process.exitCode = counts.failed === 0 ? 0 : 1;
  });
  text.pipe(process.stdout, { end: false });
}

if (process.argv.includes('--report')) await writeReport();
else test();
