// The library runs over files as the command does, with the inputs alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { snakeCase } from '../../src/cli/json.js';
import { statsData } from '../../src/cli/summary.js';
import { runFiles } from '../../src/node.js';
import { runFirstseen, temporaryFolder } from './support/command.js';

const texts = {
  'in.txt': 'a\nb\na\r\nb',
  'in.ndjson': '{"id":1}\n\n{"id":1}\n{"id":2}',
  'in.csv': 'id,x\n1,2\n1,2\n',
  'in.u64': 'aaaaaaaabbbbbbbbaaaaaaaa',
};

/** A summary without what differs from run to run. */
function comparable(summary: object): object {
  const {
    seconds: _seconds,
    records_per_second: _rate,
    warnings: _warnings,
    ending: _ending,
    ...rest
  } = summary as Record<string, unknown>;
  return rest;
}

test.each(Object.entries(texts))('runFiles({ inputs }) is the command without flags: %s', async (name, text) => {
  const folder = temporaryFolder();
  const input = join(folder, name);
  writeFileSync(input, text);
  const [output, summary] = ['out', 'summary.json'].map((file) => join(folder, file)) as [string, string];
  const { code, stdout } = await runFirstseen([input, '--stats-to', summary], { cwd: folder });
  expect(code).toBe(0);
  const stats = await runFiles({ inputs: [input], output });
  expect(readFileSync(output)).toEqual(stdout);
  expect(comparable(JSON.parse(JSON.stringify(snakeCase(statsData(stats)))))).toEqual(
    comparable(JSON.parse(readFileSync(summary, 'utf8'))),
  );
});
