// Compiles the kernel: once in a process, and at the first call that needs it.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { decodeBase64, joinBytes } from '../base/utf8.js';
import { kernelText } from './module.js';

/** The release build of the kernel, from the first call on that needs it. */
let releaseModule: Promise<WebAssembly.Module> | undefined;
/** The same, once it is compiled. */
let readyModule: WebAssembly.Module | undefined;

/**
 * Where the release build is found besides the text. It belongs to the process, as the compiled module does: whichever part needs the
 * kernel first has it compiled for all others, and ten parts can be the first, from the header of a state to a detector. As an option, it
 * would pass through all of them, and have an effect in one call of them alone. It changes no answer, because both builds are the same
 * bytes. Only the command sets it, once, before anything else.
 */
let findBytes: (() => Uint8Array<ArrayBuffer> | undefined) | undefined;

/** Makes the first call that needs the release build take its bytes from a file, if the file can be read. For the command alone. */
export function findKernelBy(find: () => Uint8Array<ArrayBuffer> | undefined): void {
  findBytes = find;
}

/** zlib, where the platform hands it out. */
function platformZlib() {
  return globalThis.process?.getBuiltinModule?.('node:zlib');
}

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
 * @throws FirstseenError E_COMPILE where that is forbidden.
 */
export async function compileKernel(text: string): Promise<WebAssembly.Module> {
  return compiledAtOnce(text) ?? compiledLater(text);
}

/**
 * The same where the platform hands out zlib. Functions are compiled when they are first called, so this takes 2 ms; other threads would
 * take 3 ms more to answer.
 */
function compiledAtOnce(text: string): WebAssembly.Module | undefined {
  const zlib = platformZlib();
  if (!zlib) return undefined;
  return moduleOf(() => zlib.inflateRawSync(decodeBase64(text)) as Uint8Array<ArrayBuffer>);
}

/** @throws FirstseenError E_COMPILE */
function moduleOf(bytes: () => Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes());
  } catch (cause) {
    throw notCompiled(cause);
  }
}

async function compiledLater(text: string): Promise<WebAssembly.Module> {
  const bytes = await inflate(decodeBase64(text));
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw notCompiled(cause);
  }
}

async function compiledRelease(): Promise<WebAssembly.Module> {
  const found = findBytes?.();
  return found ? moduleOf(() => found) : compileKernel(kernelText);
}

/**
 * The release build of the kernel with the functions of detectors, compiled at the first call. Later calls wait for it, unless it fails:
 * then the next tries again.
 */
export function compiledKernel(): Promise<WebAssembly.Module> {
  releaseModule ??= compiledRelease().then(
    (module) => {
      readyModule = module;
      return module;
    },
    (error) => {
      releaseModule = undefined;
      throw error;
    },
  );
  return releaseModule;
}

/**
 * The same module at once: compiled before, or compiled now where the platform hands out zlib.
 * @throws FirstseenError E_COMPILE where neither is possible.
 */
export function kernelAtHand(): WebAssembly.Module {
  if (readyModule) return readyModule;
  readyModule = compiledAtOnce(kernelText);
  if (readyModule) return readyModule;
  throw new FirstseenError(
    'E_COMPILE',
    'the kernel is not compiled yet, and this environment compiles it only asynchronously',
    {
      option: 'module',
      remedy: phrase`await create first, or give ${optionName('module')}, the compiled firstseen/kernel.wasm`,
    },
  );
}
