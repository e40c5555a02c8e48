// A run over documents that is stopped and continued writes the same as one run.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { describeState } from '../../../../src/checkpoint/describe.js';
import { requestOf } from '../../../../src/io/sources.js';
import type { DocumentOptions } from '../../../../src/jobs/near/documentoptions.js';
import { documentFormat, runDocuments } from '../../../../src/jobs/near/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { drawWords, editWords } from '../../../support/documents.js';
import { stopAfter } from '../../../support/signals.js';
import { Random } from '../../../support/streams.js';

const DOCUMENTS = 700;

let folder = '';
const at = (name: string) => join(folder, name);

function texts(): string[] {
  const random = new Random(11);
  const originals = Array.from({ length: DOCUMENTS / 4 }, () => drawWords(350, random));
  return Array.from({ length: DOCUMENTS }, () =>
    editWords(originals[random.below(originals.length)] as string[], 0.003, random).join(' '),
  );
}

function writeInputs(): void {
  const all = texts();
  writeFileSync(at('in.ndjson'), all.map((text, id) => `${JSON.stringify({ id: `d${id}`, text })}\n`).join(''));
  for (const [i, text] of all.entries()) {
    const inside = at(`docs/${String(i % 20).padStart(2, '0')}`);
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${String(i).padStart(4, '0')}.txt`), text);
  }
}

beforeEach(() => {
  folder = temporaryFolder();
});

function options(own: Partial<DocumentOptions>): DocumentOptions {
  return {
    inputs: [at('in.ndjson')],
    hasHeader: true,
    missingKey: 'fail',
    onError: 'fail',
    isStrict: false,
    maxRecordBytes: 2 ** 16,
    emit: 'annotated',
    isCompressed: false,
    checkpoint: '1000s',
    isNewRun: false,
    include: [],
    exclude: [],
    near: { memory: '1MiB', explain: 50, sets: 60 },
    ...own,
  };
}

/** Starts runs that each stop after a few chunks, until one reaches the end. Returns the number of runs. */
async function runInParts(own: DocumentOptions): Promise<number> {
  for (let runs = 1; ; runs++) {
    const { interrupted, resumed } = await runDocuments({ ...own, signal: stopAfter(2) });
    expect(resumed).toBe(runs > 1);
    if (!interrupted) return runs;
  }
}

describe('runs that continue', () => {
  beforeEach(writeInputs);

  test.each(['in.ndjson', 'docs'])('write the same over %s', async (input) => {
    const inputs = [at(input)];
    const idKey = input === 'docs' ? {} : { idKey: 'id' };
    const whole = await runDocuments(options({ inputs, ...idKey, output: at('whole') }));
    expect(whole.records).toBe(DOCUMENTS);
    expect(whole.near.documents).toBe(DOCUMENTS);
    expect(whole.duplicates).toBeGreaterThan(DOCUMENTS / 2);
    // All sets are open before the first run stops.
    expect(whole.near.setsOpened).toBe(60);

    const parts = options({ inputs, ...idKey, output: at('parts'), state: at('state') });
    const runs = await runInParts(parts);
    expect(runs).toBeGreaterThan(1);
    expect(readFileSync(at('parts'), 'utf8')).toBe(readFileSync(at('whole'), 'utf8'));
    const { job } = await describeState(at('state'));
    expect(job).toEqual({
      name: 'near',
      settings: expect.objectContaining({ lsh: 'minhash', similarity: 0.8, bands: '9x13', explain: 50, sets: 60 }),
      observed: DOCUMENTS,
      duplicates: whole.duplicates,
    });
  });

  test('a folder that changed before the position reached is refused', async () => {
    const own = options({ inputs: [at('docs')], output: at('out'), state: at('state') });
    const { interrupted, records } = await runDocuments({ ...own, signal: stopAfter(2) });
    expect(interrupted && records > 0).toBe(true);
    writeFileSync(at('docs/00/0000a.txt'), 'new');
    await expect(runDocuments(own)).rejects.toMatchObject({ code: 'E_STATE_RUN' });
  });

  test('files that are added later are processed', async () => {
    const own = options({ inputs: [at('docs')], output: at('out'), state: at('state'), emit: 'distinct' });
    await runDocuments(own);
    const before = readFileSync(at('out'), 'utf8');
    writeFileSync(at('docs/zz.txt'), 'a document of its own');
    const { resumed, records, allRuns } = await runDocuments(own);
    expect({ resumed, records }).toEqual({ resumed: true, records: 1 });
    expect(allRuns?.records).toBe(DOCUMENTS + 1);
    expect(readFileSync(at('out'), 'utf8')).toBe(`${before}${at('docs/zz.txt')}\n`);
  });

  test('answers do not depend on how the input is cut', async () => {
    await runDocuments(options({ output: at('one') }));
    // Documents longer than `maxRecordBytes` give the smallest possible window.
    await runDocuments(options({ output: at('other'), maxRecordBytes: 2 ** 12 }));
    expect(readFileSync(at('other'), 'utf8')).toBe(readFileSync(at('one'), 'utf8'));
  });
});

describe('formats', () => {
  test.each([
    [['docs'], 'files'],
    [['in.ndjson'], 'ndjson'],
    [['in.ndjson', 'docs'], 'files'],
    [['docs/00/0000.txt'], 'files'],
  ])('of %j is guessed to be %s', (names, format) => {
    mkdirSync(at('docs'));
    expect(documentFormat({}, names.map(at).map(requestOf))).toBe(format);
  });

  test('of standard input is lines', () => {
    expect(documentFormat({}, [requestOf('-')])).toBe('lines');
  });
});
