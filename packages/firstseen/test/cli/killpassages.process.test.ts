// Runs over passages on two threads are killed after their first state, and started again with the same command line until they
// finish. Every file that they leave has the same bytes as after a run on one thread without a kill.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { expect, test } from 'vitest';
import { drawWords } from '../support/documents.js';
import { inLongForm, sampleOf } from '../support/form.js';
import { Random } from '../support/streams.js';
import { finished, runFirstseen, startFirstseen, temporaryFolder } from './support/command.js';

const DOCUMENTS = inLongForm(12_000, 3000);
const SHARDS = ['0.jsonl', '1.jsonl.gz', '2.jsonl.zst'] as const;
const KILLS = inLongForm(4, 2);

const random = new Random(23);
const paragraphs = Array.from({ length: 20_000 }, () => drawWords(4 + random.below(40), random).join(' '));

function shard(number: number): Buffer {
  const records = Array.from({ length: DOCUMENTS }, (_, i) => {
    const text = Array.from({ length: 1 + random.below(6) }, () => paragraphs[random.below(paragraphs.length)]).join(
      '\n',
    );
    return `${JSON.stringify({ id: `${number}-${i}`, text })}\n`;
  });
  return Buffer.from(records.join(''));
}

async function shardsIn(cwd: string): Promise<void> {
  const zstd = await Zstd.load();
  const stored = [shard(0), gzipSync(shard(1), { level: 1 }), zstd.compress(shard(2))];
  mkdirSync(join(cwd, 'in'));
  for (const [i, name] of SHARDS.entries()) writeFileSync(join(cwd, 'in', name), stored[i] as Uint8Array);
}

/** The bytes that a run has written so far, to complete files and others. */
function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What a run leaves, by name. */
function leftIn(cwd: string): Map<string, Buffer> {
  const files = readdirSync(join(cwd, 'out')).map((name) => join('out', name));
  return new Map([...files, 's'].map((name) => [name, readFileSync(join(cwd, name))]));
}

test.each(sampleOf(['spans', 'rewritten'], 1))(
  'a folder of %s has the same bytes after kills with SIGKILL',
  async (emit) => {
    const cwd = temporaryFolder();
    await shardsIn(cwd);
    const flags = [
      ...['passages', 'in', '--emit', emit, '--output-folder', 'out'],
      ...['--memory', '1MiB', '--max-record', '64KiB'],
    ];
    const args = [...flags, '--state', 's', '--checkpoint', '20ms'];
    expect(await runFirstseen([...args, '--threads', '1'], { cwd })).toMatchObject({ code: 0 });
    const expected = leftIn(cwd);
    expect([...expected.keys()].sort()).toEqual([...SHARDS.map((name) => join('out', name)), 's']);
    const fullBytes = bytesIn(join(cwd, 'out'));
    for (const name of ['out', 's']) rmSync(join(cwd, name), { recursive: true });
    let kills = 0;
    for (; kills < KILLS; kills++) {
      const child = startFirstseen([...args, '--threads', '2'], { cwd });
      const result = finished(child);
      const isEarly = () => !existsSync(join(cwd, 's')) || bytesIn(join(cwd, 'out')) < (kills / KILLS) * fullBytes;
      while (child.exitCode === null && isEarly()) await sleep(1);
      child.kill('SIGKILL');
      // A process that gets little time here may have ended before the kill.
      if ((await result).signal === null) break;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await runFirstseen([...args, '--threads', '2'], { cwd })).toMatchObject({ code: 0 });
    const left = leftIn(cwd);
    expect([...left.keys()]).toEqual([...expected.keys()]);
    // A printed difference of millions of bytes would not help.
    expect(
      [...left].filter(([name, bytes]) => !bytes.equals(expected.get(name) as Buffer)).map(([name]) => name),
    ).toEqual([]);
  },
);
