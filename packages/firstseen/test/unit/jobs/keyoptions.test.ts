// Errors about the text or the name of a record name the option that gave it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, expect, test } from 'vitest';
import { runDocuments } from '../../../src/jobs/near/run.js';
import { runPassages } from '../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../cli/support/command.js';

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(at('in.csv'), 'id,text\n1,a\n');
  writeFileSync(at('in.jsonl'), '{"id":1,"text":"a"}\n');
  const columnData = [
    { name: 'id', data: ['1'] },
    { name: 'text', data: ['a'] },
  ];
  writeFileSync(at('in.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
});

/** A key that no record has in tables, and that is not a path in JSON. */
const cases = [
  ['in.csv', 'nope'],
  ['in.jsonl', 'a['],
  ['in.jsonl', '$.a'],
  ['in.parquet', 'nope'],
] as const;

test.each(cases)('the text of %s at %s', async (name, textKey) => {
  const refused = { code: 'E_USAGE', option: 'textKey', message: expect.stringMatching(/^textKey "/) };
  const asked = { inputs: [at(name)], output: at('out'), textKey };
  await expect(runPassages({ ...asked, detector: { memory: '1MiB' } })).rejects.toMatchObject(refused);
  await expect(runDocuments({ ...asked, near: { memory: '1MiB' } })).rejects.toMatchObject(refused);
});

test.each(cases)('the name of a record of %s at %s', async (name, idKey) => {
  const refused = { code: 'E_USAGE', option: 'idKey', message: expect.stringMatching(/^idKey "/) };
  const asked = { inputs: [at(name)], output: at('out'), idKey };
  await expect(runDocuments({ ...asked, emit: 'ids', near: { memory: '1MiB' } })).rejects.toMatchObject(refused);
});

test('a form in which the key may be meant names the option too', async () => {
  const asked = { inputs: [at('in.jsonl')], output: at('out'), textKey: 'a.b' };
  const message = expect.stringMatching(/give textKey '\["a\.b"\]'/);
  await expect(runPassages({ ...asked, detector: { memory: '1MiB' } })).rejects.toMatchObject({ message });
});
