// The programs of examples/corpora, with the real datatrove and the real Spark, keep what one process of `firstseen near` keeps.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fetchDatatrove, fetchSpark } from '../../tools/support/engines/fetch.mjs';
import { localSpark } from '../../tools/support/engines/spark.mjs';
import { firstseen, repository } from '../../tools/support/paths.mjs';
import { generator } from '../../tools/support/random.mjs';
import { linesOf, run } from './support/data.mjs';
import { folder, skipsOf } from './support/setup.mjs';

const examples = join(repository, 'examples/corpora');
const DOCUMENTS = 600;
const WORDS = 150;

/** Documents of random words, of which every third is a copy of an earlier one with another word. */
function documents(seed) {
  const random = generator(seed);
  const texts = [];
  const word = () => `w${random() % 5000}`;
  for (let i = 0; i < DOCUMENTS; i++) {
    const words = i % 3 === 2 ? texts[random() % i].split(' ') : Array.from({ length: WORDS }, word);
    if (i % 3 === 2) words[random() % WORDS] = 'changed';
    texts.push(words.join(' '));
  }
  return texts.map((text, i) => `${JSON.stringify({ id: String(i).padStart(6, '0'), text })}\n`);
}

/** Writes two shards; returns their path. */
function writeShards(name, lines) {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, '0.jsonl'), lines.slice(0, DOCUMENTS / 2).join(''));
  writeFileSync(join(path, '1.jsonl'), lines.slice(DOCUMENTS / 2).join(''));
  return path;
}

const idsOf = (bytes) => linesOf(bytes).map((line) => JSON.parse(line).id);

/** The ids that one process keeps. */
function keptByOne(lines, flags = []) {
  return idsOf(run(['near', '--format', 'ndjson', ...flags], { cwd: folder, input: lines.join('') }));
}

function outputIds(name) {
  const parts = readdirSync(join(folder, name)).filter((file) => /^(part-|.*\.jsonl$)/.test(file));
  return idsOf(Buffer.concat(parts.sort().map((file) => readFileSync(join(folder, name, file)))));
}

describe('the step of datatrove', () => {
  const { python, missing } = fetchDatatrove();
  const { always, inFull } = skipsOf(missing);

  /** Runs a pipeline of these steps, as Python writes them. */
  function pipeline(steps, tasks = 1) {
    const program = `
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
sys.path.insert(0, ${JSON.stringify(examples)})
from datatrove_near import FirstseenNear

def failing(data, rank, world_size):
    for number, document in enumerate(data):
        if number == 100:
            raise OSError("the disk is gone")
        yield document

command = ${JSON.stringify([process.execPath, firstseen])}
LocalPipelineExecutor([${steps}], tasks=${tasks}, workers=1, logging_dir="logs").run()
`;
    return spawnSync(python, ['-c', program], { cwd: folder, encoding: 'utf8' });
  }

  const reading = 'JsonlReader("in")';
  const writing = 'JsonlWriter("out", compression=None)';

  test('keeps what one process keeps', { skip: always }, () => {
    const lines = documents(1);
    writeShards('shards', lines);
    const { status, stderr } = pipeline(
      `JsonlReader("shards"), FirstseenNear("--similarity", "0.7", command=command), ${writing}`,
    );
    assert.equal(status, 0, stderr);
    const kept = keptByOne(lines, ['--similarity', '0.7']);
    assert.ok(kept.length < DOCUMENTS);
    assert.deepEqual(outputIds('out'), kept);
  });

  test('ends with the error of the command', { skip: inFull }, () => {
    writeShards('in/shards', documents(2));
    const { status, stderr } = pipeline(`${reading}, FirstseenNear("--similarity", "7", command=command), ${writing}`);
    assert.notEqual(status, 0);
    assert.match(stderr, /--similarity/);
    assert.match(stderr, /firstseen ended with 2/);
  });

  test('ends with the error of a step before it', { skip: inFull }, () => {
    writeShards('in/shards', documents(3));
    const { status, stderr } = pipeline(`${reading}, failing, FirstseenNear(command=command), ${writing}`);
    assert.notEqual(status, 0);
    assert.match(stderr, /the disk is gone/);
  });

  test('refuses tasks that would not know of each other', { skip: inFull }, () => {
    writeShards('in/shards', documents(4));
    const { status, stderr } = pipeline(`${reading}, FirstseenNear(command=command), ${writing}`, 2);
    assert.notEqual(status, 0);
    assert.match(stderr, /each task would keep its own copy/);
  });
});

describe('the program of Spark', () => {
  const { python, missing } = fetchSpark();
  const { inFull } = skipsOf(missing);

  test('keeps of two dumps what one process keeps', { skip: inFull }, async () => {
    const dumps = [documents(5), documents(6)];
    // The second has copies of documents of the first.
    dumps[1].splice(0, 50, ...dumps[0].slice(-50));
    const spark = localSpark(python);
    for (const [i, lines] of dumps.entries()) {
      const args = [writeShards(`dump${i}`, lines), `out${i}`, 'corpus.state'];
      const { code, log } = await spark.submit(args, {
        ...{ cwd: folder, program: join(examples, 'spark_near.py') },
        env: { FIRSTSEEN: `${process.execPath} ${firstseen}` },
      });
      assert.equal(code, 0, log.slice(-3000));
      const inOrder = lines.toSorted((a, b) => (JSON.parse(a).id < JSON.parse(b).id ? -1 : 1));
      assert.deepEqual(outputIds(`out${i}`), keptByOne(inOrder, ['--state', 'one.state']));
    }
  });
});
