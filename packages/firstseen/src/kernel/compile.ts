// Compiles the builds of the kernel: each once in a process, and at the first call that needs it.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { builtinModule } from '../base/platform.js';
import { decodeBase64, joinBytes } from '../base/utf8.js';

/** Decompresses with a stream, which Node and browsers have in common. */
async function inflate(compressed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const written = writer.write(compressed).then(() => writer.close());
  const chunks: Uint8Array[] = [];
  const reader = stream.readable.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value);
  await written;
  return joinBytes(chunks);
}

/** The error for a host that does not compile WebAssembly. */
export function notCompiled(cause: unknown): FirstseenError {
  const policy = "allow 'wasm-unsafe-eval' in the content security policy of the page";
  return new FirstseenError('E_COMPILE', `this environment does not compile WebAssembly: ${cause}`, {
    option: 'module',
    remedy: phrase`give ${optionName('module')}, the compiled firstseen/kernel.wasm, or ${policy}`,
    cause,
  });
}

/**
 * A build of the kernel from its text: compressed with deflate, in base64.
 * @throws FirstseenError E_COMPILE where that is forbidden, or the platform has no WebAssembly.
 */
export async function compileKernel(text: string): Promise<WebAssembly.Module> {
  return compiledAtOnce(text) ?? compiledLater(text);
}

/**
 * The same where the platform hands out zlib. Functions are compiled when they are first called, so this takes 2 ms; other threads would
 * take 3 ms more to answer.
 */
function compiledAtOnce(text: string): WebAssembly.Module | undefined {
  const zlib = builtinModule('node:zlib');
  if (!zlib) return undefined;
  return moduleOf(() => zlib.inflateRawSync(decodeBase64(text)) as Uint8Array<ArrayBuffer>);
}

/** @throws FirstseenError E_COMPILE */
export function moduleOf(bytes: () => Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes());
  } catch (cause) {
    throw notCompiled(cause);
  }
}

async function compiledLater(text: string): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(await inflate(decodeBase64(text)));
  } catch (cause) {
    throw notCompiled(cause);
  }
}

/** A build of the kernel, which is compiled at the first call. Functions take it, so that a bundle has those that it calls. */
export interface Build {
  /** Its text, which the command loads only when it is asked for: its run takes the kernel from a file. */
  readonly text: () => string;
  module: Promise<WebAssembly.Module> | undefined;
  /** The same, once it is compiled. */
  ready: WebAssembly.Module | undefined;
}

/** The module of a build. Later calls wait for the first one, unless it fails: then the next tries again. @throws FirstseenError as `compileKernel` */
export function compiledOnce(
  build: Build,
  compile: () => Promise<WebAssembly.Module> = () => compileKernel(build.text()),
): Promise<WebAssembly.Module> {
  build.module ??= compile().then(
    (module) => {
      build.ready = module;
      return module;
    },
    (error) => {
      build.module = undefined;
      throw error;
    },
  );
  return build.module;
}

/**
 * The same module at once: compiled before, or compiled now where the platform hands out zlib.
 * @throws FirstseenError E_COMPILE where neither is possible.
 */
export function compiledAtHand(build: Build): WebAssembly.Module {
  build.ready ??= compiledAtOnce(build.text());
  if (build.ready) return build.ready;
  throw new FirstseenError(
    'E_COMPILE',
    'the kernel is not compiled yet, and this environment compiles it only asynchronously',
    {
      option: 'module',
      remedy: phrase`await create first, or give ${optionName('module')}, the compiled firstseen/detectors.wasm`,
    },
  );
}
