import type { CommandCase } from './format.mjs';

export interface CaseResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export function actualCase(
  one: CommandCase,
  run: (args: readonly string[], options: { cwd: string; stdin: readonly Uint8Array[] }) => Promise<CaseResult>,
): Promise<CommandCase>;
