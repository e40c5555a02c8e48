// Library files of the kernel, compiled separately so that their functions can be called one by one.

import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Compiles files of assembly/lib with a separate memory and returns their exports. 64-bit integers are signed bigints. */
export async function compileLibrary<Exports>(
  ...names: string[]
): Promise<{ exports: Exports; memory: WebAssembly.Memory }> {
  const files = names.map((name) => `assembly/lib/${name}.ts`);
  const options = ['--runtime', 'stub', '--importMemory', '--enable', 'simd', '--enable', 'bulk-memory'];
  let binary: Uint8Array<ArrayBuffer> | undefined;
  const { error, stderr } = await asc.main([...files, '--baseDir', root, '--outFile', 'library.wasm', ...options], {
    writeFile: (_name, contents) => {
      if (typeof contents !== 'string') binary = new Uint8Array(contents);
    },
  });
  if (error || !binary) throw new Error(`the kernel's library does not compile: ${stderr.toString()}`);
  const memory = new WebAssembly.Memory({ initial: 16 });
  const { instance } = await WebAssembly.instantiate(binary, { env: { memory, abort: () => undefined } });
  return { exports: instance.exports as Exports, memory };
}
