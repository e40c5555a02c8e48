// A program for Node, Deno, Bun and Electron. It prints the answers with the library's own kernel and with the kernel of the file.

import { readFile } from 'node:fs/promises';
import * as firstseen from 'firstseen';
import { answersOf } from './suite.mjs';

const module = await WebAssembly.compile(await readFile(new URL(import.meta.resolve('firstseen/kernel.wasm'))));
console.log(JSON.stringify({ own: await answersOf(firstseen), given: await answersOf(firstseen, { module }) }));
