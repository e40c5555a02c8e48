// False positives and false negatives of range motifs against known labels, counted as in narang-2011. Section 6.1 shows shares of
// all N records, for each set and in total. The totals of both kinds are equal in every figure, because each misassigned record
// is one of each. So the rates of a set are shares of N, and the totals are their sums.

import { NO_SET } from './motifsettings.js';

/** The errors of one set, or of one label. */
export interface SetErrors {
  /** Number of the set; null for a label without a set. */
  set: number | null;
  /** The label of the set; null for a set without a label. */
  label: string | null;
  /** Records that have the label. */
  records: number;
  /** Records in the set with another label or none. */
  falsePositives: number;
  /** Records of the label in other sets or none. */
  falseNegatives: number;
  /** False positives as a share of all records. */
  fpr: number;
  /** False negatives as a share of all records. */
  fnr: number;
}

/** The errors of sets against the labels of the records. */
export interface MotifErrors {
  /** The errors of each set, and of each label without a set. */
  perSet: SetErrors[];
  /** False positives of all sets as a share of all records. */
  fpr: number;
  /** False negatives of all labels as a share of all records. */
  fnr: number;
}

/** Counts records by label and set. */
export class MotifTally {
  /** For each label, records by set. Records that were left out count at NO_SET. */
  readonly #counts = new Map<string, Float64Array>();
  #records = 0;

  /** Adds a record with a label, or `null` for noise. */
  add(label: string | null, set: number): void {
    const key = label === null ? '' : `=${label}`;
    let counts = this.#counts.get(key);
    if (!counts) {
      counts = new Float64Array(NO_SET + 1);
      this.#counts.set(key, counts);
    }
    counts[set] = (counts[set] as number) + 1;
    this.#records++;
  }

  /** The errors when sets and labels are matched one to one so that the most records are right. */
  errors(): MotifErrors {
    const labels = [...this.#counts.keys()].filter((key) => key !== '');
    const rows = labels.map((key) => this.#counts.get(key) as Float64Array);
    const columns = [...this.#counts.values()];
    const sets = Array.from({ length: NO_SET }, (_, set) => set).filter((set) => columns.some((row) => row[set]));
    const matched = bestMatch(rows, sets);
    const errorsOf = (set: number | null, index: number | null): SetErrors => {
      const row = index === null ? undefined : rows[index];
      const right = row && set !== null ? (row[set] as number) : 0;
      const records = row ? sum(row) : 0;
      const members = set === null ? 0 : sum(columns.map((column) => column[set] as number));
      const falsePositives = members - right;
      const falseNegatives = records - right;
      const label = index === null ? null : (labels[index] as string).slice(1);
      return { set, label, records, falsePositives, falseNegatives, ...this.#rates(falsePositives, falseNegatives) };
    };
    const perSet = [
      ...sets.map((set) => {
        const index = matched.indexOf(set);
        return errorsOf(set, index === -1 ? null : index);
      }),
      ...matched.flatMap((set, index) => (set === null ? [errorsOf(null, index)] : [])),
    ];
    const total = (name: 'fpr' | 'fnr') => sum(perSet.map((errors) => errors[name]));
    return { perSet, fpr: total('fpr'), fnr: total('fnr') };
  }

  #rates(falsePositives: number, falseNegatives: number): { fpr: number; fnr: number } {
    const records = Math.max(1, this.#records);
    return { fpr: falsePositives / records, fnr: falseNegatives / records };
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Assigns a column or null to each row so that the sum is largest, by dynamic programming over all subsets of columns. */
function bestMatch(rows: readonly Float64Array[], columns: readonly number[]): (number | null)[] {
  const masks = 2 ** columns.length;
  let best = new Float64Array(masks).fill(Number.NEGATIVE_INFINITY);
  best[0] = 0;
  /** For each row, the column taken last on the best way to each mask: 0 for none, else 1 + column. */
  const choices: Uint8Array[] = [];
  for (const row of rows) {
    const next = best.slice();
    const choice = new Uint8Array(masks);
    for (let mask = 0; mask < masks; mask++) {
      columns.forEach((column, at) => {
        if (!(mask & (1 << at))) return;
        const score = (best[mask ^ (1 << at)] as number) + (row[column] as number);
        if (score <= (next[mask] as number)) return;
        next[mask] = score;
        choice[mask] = at + 1;
      });
    }
    best = next;
    choices.push(choice);
  }
  let mask = best.indexOf(Math.max(...best));
  return choices
    .reverse()
    .map((choice) => {
      const columnNumber = choice[mask] as number;
      if (columnNumber === 0) return null;
      mask ^= 1 << (columnNumber - 1);
      return columns[columnNumber - 1] as number;
    })
    .reverse();
}
