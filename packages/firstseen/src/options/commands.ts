// The commands that run a job over inputs: what their help shows besides the options.

import type { OptionGroup } from './row.js';

/** The jobs that have a command of their own. */
export type CommandJob = 'exact' | 'near' | 'passages' | 'motifs';

export interface CommandRow {
  /** The name of the subcommand; none for the main command. */
  readonly name?: string;
  readonly description?: string;
  /** The text about the files in the help. */
  readonly files: string;
  readonly examples?: readonly string[];
  /** The option with the job's own options. */
  readonly own: 'detector' | 'near' | 'motifs';
  /** The heading of each group of options, in the order of the help. Without one, they are under that of the parser. */
  readonly headings: Readonly<Partial<Record<OptionGroup, string>>>;
}

const lastHeadings = { output: 'Output:', state: 'State:', report: 'Report:' } as const;

export const commandRows: Readonly<Record<CommandJob, CommandRow>> = {
  exact: {
    files: 'input files in order, or - for standard input, the default',
    own: 'detector',
    headings: { detector: 'Detector:', records: 'Records:', time: 'Records:', input: 'Records:', ...lastHeadings },
  },
  motifs: {
    name: 'motifs',
    description: 'group records of one length into sets of records that differ in few bits',
    files: 'input files in order, or - for standard input, the default',
    own: 'motifs',
    headings: {},
  },
  near: {
    name: 'near',
    description: 'pass on the first document of every group of near-duplicates, in fixed memory',
    files: 'files of records, or folders and files that are documents; standard input by default',
    examples: [
      'firstseen near /usr/share/doc --include copyright --stats > kept.txt',
      'firstseen near crawl.ndjson.gz --text-key page.text --memory 1GiB -o kept.ndjson',
      'firstseen near posts.csv --text-key body --similarity 0.7 --shingle 24c --emit all --annotate near --explain 1000',
      'firstseen near hashes.u64 --lsh bits --similarity 0.95 --window 1000000',
      'firstseen near images.csv --text-key phash --lsh bits --document-bytes 8 --encoding hex --similarity 0.9',
    ],
    own: 'near',
    headings: {
      similarity: 'Similarity:',
      detector: 'Table:',
      records: 'Documents:',
      time: 'Documents:',
      input: 'Documents:',
      ...lastHeadings,
    },
  },
  passages: {
    name: 'passages',
    description: 'find paragraphs, lines or n-grams within the texts of records that were seen before, in fixed memory',
    files: 'files of records in order, or - for standard input, the default',
    examples: [
      'firstseen passages crawl.jsonl.gz --attribute duplicate_paragraphs -o attributes.jsonl.gz',
      'firstseen passages crawl.jsonl.gz --emit rewritten --skip-empty --min-document 200 -o rewritten.jsonl.gz',
      'firstseen passages crawl.jsonl.gz --against tests.jsonl --emit documents -o clean.jsonl.gz',
    ],
    own: 'detector',
    headings: {
      similarity: 'Passages:',
      detector: 'Table:',
      records: 'Records:',
      time: 'Records:',
      input: 'Records:',
      ...lastHeadings,
    },
  },
};
