import { describe, expect, test } from 'vitest';
import { descriptionOf } from '../../../src/cli/options.js';
import type { MotifRunOptions } from '../../../src/jobs/motifs/run.js';
import type { DocumentOptions } from '../../../src/jobs/near/documentoptions.js';
import type { PassageOptions } from '../../../src/jobs/passages/passageoptions.js';
import type { MotifOptions } from '../../../src/near/motifsettings.js';
import type { NearOptions } from '../../../src/near/settings.js';
import { checkKinds } from '../../../src/options/kinds.js';
import type { OwnNames, RunNames } from '../../../src/options/names.js';
import { type JobName, type OptionRow, rowsWith } from '../../../src/options/row.js';
import { type OptionRows, optionRows, optionsOf, type RowOf } from '../../../src/options/rows.js';
import type { PlannedOptions } from '../../../src/plan/auto.js';
import type { RunOptions } from '../../../src/run/runoptions.js';

/** True if the types are the same; the compiler refuses the names that only one of them has. */
type Same<One, Other> = [Exclude<One, Other>, Exclude<Other, One>] extends [never, never]
  ? true
  : [Exclude<One, Other>, Exclude<Other, One>];

type WordRow<Job extends JobName> = Extract<RowOf<Job>, { readonly words: readonly string[] }>;

/** The options of a job whose words are not those of its interface. */
type OtherWords<Job extends JobName, Options> = {
  [Row in WordRow<Job> as Row['name']]: Row['name'] extends keyof Options
    ? Same<Row['words'][number], Exclude<Options[Row['name']], undefined>>
    : true;
};

// These are checked by the compiler: the rows of a job and the interfaces of its options have the same names and words.
const exact: Same<keyof RunOptions, RunNames<'exact'> | 'detector'> = true;
const detector: Same<keyof PlannedOptions, OwnNames<'exact'>> = true;
// A run over documents refuses a shard, because similar documents have different keys.
const near: Same<keyof DocumentOptions, RunNames<'near'> | 'near' | 'shard'> = true;
const signature: Same<keyof NearOptions, OwnNames<'near'>> = true;
const passages: Same<keyof PassageOptions, RunNames<'passages'> | 'detector'> = true;
const motifs: Same<keyof MotifRunOptions, RunNames<'motifs'> | 'motifs'> = true;
const sets: Same<keyof MotifOptions, OwnNames<'motifs'>> = true;
const words: Same<OtherWords<'exact', RunOptions & PlannedOptions>[keyof OtherWords<'exact', RunOptions>], true> = true;
const nearWords: Same<OtherWords<'near', DocumentOptions & NearOptions>[keyof OtherWords<'near', NearOptions>], true> =
  true;
const passageWords: Same<
  OtherWords<'passages', PassageOptions & PlannedOptions>[keyof OtherWords<'passages', PassageOptions>],
  true
> = true;
const motifWords: Same<
  OtherWords<'motifs', MotifRunOptions & MotifOptions>[keyof OtherWords<'motifs', MotifOptions>],
  true
> = true;

test('the rows have the names and the words of the interfaces', () => {
  expect([
    exact,
    detector,
    near,
    signature,
    motifs,
    sets,
    words,
    nearWords,
    passages,
    passageWords,
    motifWords,
  ]).not.toContain(false);
});

const rows: OptionRows = optionRows;
const commands = ['exact', 'near', 'passages', 'motifs', 'map', 'combine', 'reduce'] as const;

describe.each(commands)('the options of %s', (job) => {
  const own = optionsOf(job);

  test('have names and flags of their own', () => {
    const flags = own.flatMap(({ flag = '' }) => flag.match(/-[a-zA-Z](?=,)|--[a-z-]+/g) ?? []);
    expect(new Set(flags).size).toBe(flags.length);
    expect(new Set(own.map(({ name }) => name)).size).toBe(own.length);
    expect(own.length).toBeGreaterThan(3);
  });

  test('are described with their words and defaults', () => {
    for (const row of own.filter(({ flag }) => flag !== undefined)) {
      const text = descriptionOf(row, job);
      expect(text, row.name).not.toMatch(/[{}]|\.$/);
      for (const word of row.words ?? []) expect(text, row.name).toContain(word);
      if (row.shownDefault) expect(text, row.name).toContain(`(default: ${row.shownDefault})`);
    }
  });
});

describe('every row', () => {
  test('has a default that its kind and its words allow', () => {
    for (const row of rows) {
      if (row.default === undefined) continue;
      expect(() => checkKinds([row], { [row.name]: row.default }), row.name).not.toThrow();
      if (row.words) expect(row.words, row.name).toContain(row.default);
    }
  });

  test('belongs to a command', () => {
    for (const { name, jobs } of rows) expect(jobs.length, name).toBeGreaterThan(0);
  });
});

test.each<[OptionRow['kind'], unknown]>([
  ['text', 5],
  ['texts', 'a'],
  ['word', 'c'],
  ['number', '5'],
  ['bytes', '5'],
  ['duration', '5'],
  ['duration', 0],
  ['presence', 1],
  ['function', 1],
])('a %s is not %j', (kind, value) => {
  const row: OptionRow = { name: 'some', kind, group: 'output', help: 'some', jobs: ['exact'], words: ['a', 'b'] };
  expect(() => checkKinds([row], { some: value })).toThrow(
    expect.objectContaining({ code: 'E_USAGE', option: 'some', given: value }),
  );
  expect(() => checkKinds([row], {})).not.toThrow();
});

test('rows have the facts of their function, and the compiler refuses a wrong name and a second group', () => {
  const stateRow = rowsWith({ group: 'state', jobs: ['exact'] });
  const row = { name: 'folder', kind: 'text', help: 'where it is' } as const;
  expect(stateRow(row)).toEqual({ ...row, group: 'state', jobs: ['exact'] });
  // @ts-expect-error: a row has no member of this name
  stateRow({ ...row, shownDefualt: 'none' });
  // @ts-expect-error: the function has the group
  stateRow({ ...row, group: 'input' });
});
