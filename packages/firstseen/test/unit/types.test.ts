// Compiles programs against the declarations of the package with strict settings.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = `
import { create, createClaims, dedup, GapSample, plan, planText, type ClaimAnswer, type CommitOutcome, type DetectorOptions, load, save, type Verdict } from 'firstseen';
import { createThreaded, dedupTransform, runFiles, type RunStats, type ThreadedDetector } from 'firstseen/node';

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
export const advice: string = planText(plan({ memory: '1MiB', stream: sample.stream('a sample') }));
export const transform = dedupTransform<string>(options);
export const delivering = dedupTransform<string>({ ...options, deliver: async () => {}, concurrency: 2 });
await using threaded: ThreadedDetector = await createThreaded(options, { threads: 2 });
export const verdicts: Uint8Array = await threaded.observeBatch(BigUint64Array.of(1n));
export const run: (...options: Parameters<typeof runFiles>) => Promise<RunStats> = runFiles;
`;

const labProgram = `
import { families, type StreamModel } from 'firstseen';
import { drawClusters, measure, runExperiment, streamKinds } from 'firstseen-lab';
import { describeLabCommand, runLabCommand } from 'firstseen-lab/command';

export const exitCode: number = await runLabCommand([describeLabCommand().name]);
export const known = [Object.keys(streamKinds), Object.keys(families)];
export const functions = [drawClusters, measure, runExperiment];
export type Model = StreamModel;
`;

const entries = {
  firstseen: 'dist/index',
  'firstseen/node': 'dist/node',
  'firstseen-lab': '../lab/dist/index',
  'firstseen-lab/command': '../lab/dist/cli/command',
};

/** The errors of a strict compiler for a program, with the declarations of libraries checked too. */
function problemsOf(text: string, lib: string[]): string[] {
  const file = join(temporaryFolder(), 'program.mts');
  writeFileSync(file, text);
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib,
    typeRoots: [join(root, '../../node_modules/@types')],
    types: ['node'],
    paths: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, [join(root, `${file}.d.ts`)]])),
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  });
  return ts.getPreEmitDiagnostics(compiled).map(({ file: where, messageText }) => {
    return `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

test('the declarations compile without the types of a browser', () => {
  expect(problemsOf(program, ['lib.es2022.d.ts'])).toEqual([]);
});

// The entry `firstseen/internal` has no declarations, so those of the laboratory must not refer to it.
test('the declarations of the laboratory compile with the public declarations alone', () => {
  expect(problemsOf(labProgram, ['lib.es2022.d.ts', 'lib.dom.d.ts'])).toEqual([]);
});
