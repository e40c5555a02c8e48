// The contract of an option: one row has all that there is to say of it. The rows are plain data, so that a bundle has only those
// that it uses. What reads, checks and shows the values of a kind is in kinds.ts.

/** The record of a run that the option belongs to (src/run/settled.ts), and its place in the help. */
export type OptionGroup = 'similarity' | 'detector' | 'records' | 'time' | 'input' | 'output' | 'state' | 'report';

/** The commands that work on records. */
export type JobName = 'exact' | 'near' | 'passages' | 'motifs' | 'map' | 'combine' | 'reduce';

/** Lists of names that registries keep. A flag takes one of them. */
export type Catalogue =
  | 'algorithms'
  | 'fingerprints'
  | 'formats'
  | 'documentFormats'
  | 'passageFormats'
  | 'timeFormats'
  | 'lsh'
  | 'emissions';

/** The values of each kind, as the library takes them. */
export interface ValueOf {
  /** Any text, which the library checks. */
  text: string;
  texts: readonly string[];
  /** A name of a field, or several ones. */
  fields: string | readonly string[];
  /** One of the words of the row. */
  word: string;
  /** One of the names of a registry. */
  name: string;
  number: number;
  /** A whole number, 1 or more. */
  whole: number;
  /** A number of elements, whose limits the planner has. */
  elements: number;
  gaps: readonly number[];
  seed: number | bigint;
  /** A number of bytes, or a text with a unit. */
  size: number | string;
  /** A number of bytes, which the flag takes with a unit. */
  bytes: number;
  /** A number of milliseconds, or a text with a unit. */
  duration: number | string;
  threads: number | 'auto';
  /** Values by name. */
  parameters: Readonly<Record<string, number | string>>;
  /** A flag without a value. */
  presence: boolean | string;
  signal: AbortSignal;
  function: (...values: never[]) => unknown;
}

export type KindName = keyof ValueOf;

/**
 * The rule by which the option of a later run must agree with a state. `setting`: it is the setting of the detector in
 * the state. `following`: the parameters that follow from it are those of the state. `secret` and `witness` are
 * compared apart, and are not in the note. `record`: it is what the note says of keys and times. Other options may
 * differ.
 */
export type Agreement = 'setting' | 'following' | 'secret' | 'witness' | 'record';

export interface OptionRow {
  /** The name in the library. */
  readonly name: string;
  /** Other names in errors of what the option is. */
  readonly aliases?: readonly string[];
  /** The flag as the help shows it. Only programs can give an option without one. */
  readonly flag?: string;
  readonly group: OptionGroup;
  /** The group under which the help shows it, if that is another one. */
  readonly shownIn?: OptionGroup;
  /** True if it is a member of the job's own options: `detector`, `near` or `motifs`. */
  readonly isOwn?: true;
  /** True if only the command has it, so that programs cannot give it. */
  readonly isOfCommand?: true;
  readonly kind: KindName;
  /** True for a duration that a timer waits for. */
  readonly isTimer?: true;
  /** True if it has to be given. */
  readonly isRequired?: true;
  /** True if it names a file with a secret. A variable can have the secret itself. */
  readonly holdsSecret?: true;
  readonly words?: readonly string[];
  readonly names?: Catalogue;
  /** The value of a flag that is given without a value; true by default. */
  readonly gives?: boolean | string;
  /** The default, if it is the same whatever the other options are. */
  readonly default?: unknown;
  /** The default in words; undefined for the default itself, null if the help does not show it. */
  readonly shownDefault?: string | null;
  /** Without a period. `{words}` are the words or names; they follow the text if it does not have them. */
  readonly help: string;
  readonly jobs: readonly JobName[];
  readonly agrees?: Agreement;
}

/** The same option as other jobs take it. Bundlers leave out a call that is marked as pure, but not a spread. */
export function takenBy<const Row extends OptionRow, const Jobs extends readonly JobName[]>(
  row: Row,
  jobs: Jobs,
): Omit<Row, 'jobs'> & { readonly jobs: Jobs } {
  return { ...row, jobs };
}

/** Members that a row does not have. A wrong name of one is refused, as `satisfies` does. */
type NoOthers<Row, Known> = { readonly [Name in Exclude<keyof Row, Known>]: never };

/** Returns what makes rows that have these facts in common. */
export function rowsWith<const Facts extends Partial<OptionRow>>(facts: Facts) {
  type Other = Exclude<keyof OptionRow, keyof Facts>;
  return <const Row extends Pick<OptionRow, Other>>(row: Row & NoOthers<Row, Other>): Facts & Row => ({
    ...facts,
    ...row,
  });
}

/** Makes a row of a command that is not a job. */
export const commandRow = /* @__PURE__ */ rowsWith({ group: 'input', jobs: [] });
