import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { describeState } from '../../../src/checkpoint/describe.js';
import { readState, writeState } from '../../../src/checkpoint/runstate.js';
import { create, save } from '../../../src/index.js';
import { createNear } from '../../../src/near.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { note, noteIn } from './support.js';

let path = '';

beforeEach(() => {
  path = join(temporaryFolder(), 'state');
});

test('the description of a state contains no positions and no header', async () => {
  const detector = await create({ algorithm: 'exact', memory: 4096 });
  detector.observe('a');
  await writeState(path, detector, note);
  const { run, job, key, observed } = await describeState(path);
  expect(Object.keys(run ?? {})).toEqual([
    ...['inputs', 'outputs', 'emit', 'input', 'offset', 'lines', 'counts', 'isFinished'],
  ]);
  expect([job, key, observed]).toEqual([null, note.key, 1]);
});

test.each(['offset 1', '{"offset":1}', '5'])(
  'a snapshot with the note %j of a program is described, and not continued',
  async (text) => {
    const detector = await create({ algorithm: 'exact', memory: 4096, keys: ['id'] });
    writeFileSync(path, await save(detector, new TextEncoder().encode(text)));
    const { noteBytes, key, run, job } = await describeState(path);
    expect({ noteBytes, key, run, job }).toEqual({
      noteBytes: text.length,
      key: { format: 'ndjson', keys: ['id'] },
      run: null,
      job: null,
    });
    await expect(readState(path)).rejects.toThrow(
      new RegExp(
        `saved by the library with a note of ${text.length} bytes?, which a run would lose; load it with the library`,
      ),
    );
    writeFileSync(path, await save(detector));
    expect(await describeState(path)).not.toHaveProperty('noteBytes');
    expect((await noteIn(path))?.key.keys).toEqual(['id']);
  },
);

test('a snapshot of near-duplicates of the library is described, and not continued', async () => {
  const near = await createNear({ memory: '64KiB' });
  near.observe('a document');
  writeFileSync(path, await save(near));
  const description = await describeState(path);
  expect(description).toMatchObject({ key: null, run: null, job: { name: 'near', observed: 1, duplicates: 0 } });
  expect(description).not.toHaveProperty('noteBytes');
  await expect(readState(path)).rejects.toThrow(
    /snapshot of near-duplicates or passages was saved by the library.*; load it with loadNear/,
  );
  writeFileSync(path, await save(near, new Uint8Array(2)));
  expect(await describeState(path)).toMatchObject({ noteBytes: 2 });
});
