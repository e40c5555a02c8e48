// The type declarations of the package, for a strict compiler.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/support/command.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = `
import { create, createClaims, dedup, GapSample, plan, planText, type ClaimAnswer, type CommitOutcome, type DetectorOptions, load, save, type Verdict } from 'firstseen';
import { dedupTransform, runFiles, type RunStats } from 'firstseen/node';

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
export const run: (...options: Parameters<typeof runFiles>) => Promise<RunStats> = runFiles;
`;

test('are complete for a strict compiler that checks libraries and has no browser types', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'program.mts');
  writeFileSync(file, program);
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts'],
    typeRoots: [join(root, '../../node_modules/@types')],
    types: ['node'],
    paths: { firstseen: [join(root, 'dist/index.d.ts')], 'firstseen/node': [join(root, 'dist/node.d.ts')] },
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  });
  const problems = ts.getPreEmitDiagnostics(compiled).map(({ file: where, messageText }) => {
    return `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
  expect(problems).toEqual([]);
});
