// A program for Node, Deno, Bun and Electron. It prints the answers with the library's own kernel and with the kernel of the file.

import { readFile } from 'node:fs/promises';
import * as core from 'firstseen';
import * as motifs from 'firstseen/motifs';
import * as near from 'firstseen/near';
import { families } from 'firstseen/plan';
import { answersOf } from './suite.mjs';

const firstseen = { ...core, ...motifs, ...near, families };
const module = await WebAssembly.compile(await readFile(new URL(import.meta.resolve('firstseen/kernel.wasm'))));
console.log(JSON.stringify({ own: await answersOf(firstseen), given: await answersOf(firstseen, { module }) }));
