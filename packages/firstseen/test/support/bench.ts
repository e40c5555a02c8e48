// Runs the benchmark with few elements.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryFolder } from './folders.js';

export interface BenchRow {
  name: string;
  measured: number;
  unit: string;
  compared: { to: string; value: number } | null;
  target: { bound: string; value: number } | null;
  isMet: boolean | null;
  beside: Record<string, number>;
}

export interface BenchReport {
  machine: { processor: string; cores: number; memoryGibibytes: number; node: string; system: string };
  isQuick: boolean;
  sections: Record<string, { title: string; text: string; rows: BenchRow[] }>;
}

export const benchScript = join(repositoryFolder, 'bench/main.mjs');

export function quickBench(...args: string[]): BenchReport {
  const text = execFileSync(process.execPath, [benchScript, '--json', '--quick', ...args], { encoding: 'utf8' });
  return JSON.parse(text);
}
