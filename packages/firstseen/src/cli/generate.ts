// What `firstseen --generate KIND` prints. All of it comes from the parser, so that it contains every flag.

import { completeBash, completeFish, completeZsh } from './completions.js';
import type { ProgramDescription } from './describe.js';
import { manPage } from './manpage.js';

const generators = {
  man: manPage,
  'complete-bash': completeBash,
  'complete-zsh': completeZsh,
  'complete-fish': completeFish,
} as const;

export type GeneratedKind = keyof typeof generators;

export const generatedKinds = Object.keys(generators) as readonly GeneratedKind[];

export function generate(program: ProgramDescription, kind: GeneratedKind): string {
  return generators[kind](program);
}
