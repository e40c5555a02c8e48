// Compiles programs against the declarations of the package with strict settings.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';
import { requireBuilt } from '../support/built.js';

requireBuilt('declarations', 'labDeclarations');
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = join(root, '../../node_modules/typescript/bin/tsc');

const program = `
import { create, createClaims, dedup, type ClaimAnswer, type CommitOutcome, type DetectorOptions, load, save, type Verdict } from 'firstseen';
import { GapSample, plan, planText } from 'firstseen/plan';
import { createThreaded, dedupBytesTransform, dedupTransform, runFiles, type RunStats, type ThreadedDetector } from 'firstseen/node';

const options: DetectorOptions = { algorithm: 'exact', memory: 65536 };
const detector = await create(options);
const verdict: Verdict = detector.observe('a');
const again = await load(await save(detector));
for await (const item of dedup(['a', 'b'], { detector: again })) console.log(item, verdict);
const answer: ClaimAnswer = createClaims(detector, { pending: 10 }).claim('c');
export const outcome: CommitOutcome | number =
  answer.verdict === 'distinct' ? answer.commit() : answer.verdict === 'pending' ? answer.remainingMilliseconds : 0;
const sample = new GapSample();
sample.add(1n);
export const advice: string = planText(await plan({ memory: '1MiB', stream: sample.stream('a sample') }));
export const transform = dedupTransform<string>({ ...options, highWaterMark: 4 });
export const ofBytes = dedupBytesTransform({ ...options, onEnd: ({ records }) => void records });
export const delivering = dedupTransform<string>({ ...options, deliver: async () => {}, concurrency: 2 });
await using threaded: ThreadedDetector = await createThreaded(options, { threads: 2 });
export const verdicts: Uint8Array = await threaded.observeBatch(BigUint64Array.of(1n));
export const run: (...options: Parameters<typeof runFiles>) => Promise<RunStats> = runFiles;
`;

const libraryProgram = `
import { create, dedup, dedupBytes, dedupStream, load, save, snapshotChunks, type Verdict } from 'firstseen';
import { createNear } from 'firstseen/near';

const detector = await create({ algorithm: 'qht', layout: 'blocked' });
export const verdict: Verdict = detector.observe('a');
for await (const item of dedup(['a', 'b'], { detector })) item.toUpperCase();
export const stream = dedupStream<string>();
const near = await createNear();
export const written: AsyncGenerator<Uint8Array> = snapshotChunks(near);
export const read = async (source: ReadableStream<Uint8Array>) => load(source, { maxMemory: '1MiB' });
// @ts-expect-error: this has no snapshots
await save({});
for await (const { id } of dedup([{ id: 'a' }], { keys: ['id'] })) id.toUpperCase();
const known = await load(await save(detector), { keys: ['id'], format: 'ndjson', maxMemory: 65536 });
for await (const { id } of dedup([{ id: 'a' }], { detector: known })) id.toUpperCase();
const deliver = async (item: string, { signal }: { signal: AbortSignal }) => void [item, signal];
for await (const item of dedup(['a'], { deliver, timeout: '30s', signal: undefined })) item.toUpperCase();
export const waiting = dedupStream<string>({ deliver, timeout: 1000, highWaterMark: 4, takesChunks: undefined });
export const bytes: TransformStream<Uint8Array, Uint8Array> = dedupBytes({ format: 'csv', keys: ['id'], detector: undefined });
// @ts-expect-error: only streams have it
dedup(['a'], { highWaterMark: 4 });
`;

const optionsProgram = `
import { type AlgorithmName, create, createClaims, type DetectorOptions, dedup, keyOf, load, save } from 'firstseen';
import { createMotifs, loadMotifs } from 'firstseen/motifs';
import { createNear, loadNear } from 'firstseen/near';
import { dedupTransform, runFiles, runMotifs } from 'firstseen/node';
import { plan } from 'firstseen/plan';

const none = undefined;
const events = [{ id: 'a' }];
const options: DetectorOptions = { algorithm: none, memory: none, fpr: none, window: none, witness: none };
const detector = await create({ ...options, distinctElements: none, keys: none, format: none, clock: none, now: none });
createClaims(detector, { pending: none, lease: none, now: none });
const snapshot = await save(detector);
await load(snapshot, { keys: none, format: none, maxMemory: none, clock: none, now: none });
await load(snapshot, { clock: 'manual' });
// @ts-expect-error: a clock is system or manual
await load(snapshot, { clock: 'machine' });
await loadNear(snapshot, { maxMemory: none, clock: none, now: none });
await loadMotifs(snapshot, { maxMemory: none });
keyOf(['id'], { id: 'a' }, { format: none });
await createNear({ lsh: none, variant: none, case: none });
await createMotifs({ recordBytes: 8, sets: none, seed: none });
await plan({ memory: none, layout: none, stream: none });
await runFiles({ inputs: [], detector: none, output: none, onWarning: none });
await runMotifs({ inputs: [], motifs: { recordBytes: 8 }, labels: none });
for await (const { id } of dedup(events, { key: (event) => event.id, onDuplicate: none })) id.toUpperCase();
export const name: AlgorithmName = 'auto';
export const transform = dedupTransform({ key: (event: { id: string }) => event.id, deliver: none });

// @ts-expect-error: items that are objects require a key
dedup(events);
// @ts-expect-error: items that are objects require a key
dedup(events, { memory: '1MiB' });
// @ts-expect-error: items that are objects require a key
dedupTransform<{ id: string }>();
// @ts-expect-error: no algorithm has this name
await create({ algorithm: 'bloo' });
// @ts-expect-error: only the planner takes auto
export const own: DetectorOptions = { algorithm: 'auto' };
// @ts-expect-error: no layout has this name
await create({ layout: 'block' });
// @ts-expect-error: no hash family has this name
await createNear({ lsh: 'sim' });
// @ts-expect-error: no case has this name
await createNear({ case: 'lower' });
// @ts-expect-error: no option has this name
await create({ memmory: 1024 });
`;

const labProgram = `
import { families, type StreamModel } from 'firstseen/plan';
import { drawClusters, measure, runExperiment, streamKinds } from 'firstseen-lab';
import { describeLabCommand, runLabCommand } from 'firstseen-lab/command';

export const exitCode: number = await runLabCommand([describeLabCommand().name]);
export const known = [Object.keys(streamKinds), Object.keys(families)];
export const functions = [drawClusters, measure, runExperiment];
export type Model = StreamModel;
`;

const entries = {
  firstseen: 'dist/index',
  'firstseen/motifs': 'dist/motifs',
  'firstseen/near': 'dist/near',
  'firstseen/node': 'dist/node',
  'firstseen/plan': 'dist/plan',
  'firstseen-lab': '../lab/dist/index',
  'firstseen-lab/command': '../lab/dist/cli/command',
};

/** What a strict compiler prints about programs, with the declarations of libraries checked too. */
function problemsOf(texts: string[], lib: string[], types: string[] = ['node']): string {
  const folder = temporaryFolder();
  const files = texts.map((text, i) => {
    const file = join(folder, `program${i}.mts`);
    writeFileSync(file, text);
    return file;
  });
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    lib,
    typeRoots: [join(root, '../../node_modules/@types')],
    types,
    paths: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [join(root, `${file}.d.ts`)]])),
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', project], { encoding: 'utf8' });
  return status === 0 ? stdout : `${stdout}\nit ended with ${status}`;
}

test('the declarations compile without the types of a browser, options may be undefined, and objects require a key', () => {
  expect(problemsOf([program, optionsProgram], ['es2022'])).toBe('');
});

test('the declarations of the library compile without the types of a browser or of Node', () => {
  expect(problemsOf([libraryProgram], ['es2022'], [])).toBe('');
});

// The entry `firstseen/internal` has no declarations, so those of the laboratory must not refer to it.
test('the declarations of the laboratory compile with the public declarations alone', () => {
  expect(problemsOf([labProgram], ['es2022', 'dom'])).toBe('');
});
