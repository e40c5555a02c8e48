// A run whose output is its only input. The output is written beside the file and renamed to it at the end, so that a run that fails
// or is killed leaves the file as it was.

import type { Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Compression } from '../io/compression/compression.js';
import { BEGINNING_BYTES, compressionOf, compressions, outputCompression } from '../io/compression/compressions.js';
import { withFile } from '../io/file/filenote.js';
import { formatOfFile, formatOfOutput, storedEnding, temporaryPaths } from '../io/formats.js';
import { emissionsWithoutRecords } from '../io/policies.js';
import { outputError } from '../io/sink.js';
import type { InputRequest } from '../io/source.js';
import { readEdge } from '../io/system/edges.js';
import { identityOf, realPathOf } from '../io/system/identity.js';
import { inputError } from '../io/system/inputerror.js';
import { systemPath } from '../io/system/paths.js';
import { giveAccess, PRIVATE_MODE } from '../io/system/replaced.js';
import { systemProblem } from '../io/system/systemproblem.js';
import type { InputFormatName } from '../records/formats.js';
import type { SettledOptions } from './settled.js';
import type { RunStats } from './stats.js';

function refuse(option: 'state' | 'isFollowing', given: unknown, why: string): never {
  const output = optionName('output');
  throw new FirstseenError('E_USAGE', phrase`${output} is the input, and ${why}`, {
    ...{ option, given },
    remedy: phrase`leave ${optionName(option)} out, or name another ${output}`,
  });
}

/** @throws FirstseenError E_USAGE for options with which an input cannot be replaced. */
function checkReplaced({
  state: { state, isReadOnly },
  input: { isFollowing },
  output: { emit },
}: SettledOptions): void {
  if (emissionsWithoutRecords.includes(emit)) {
    const output = optionName('output');
    const problem = phrase`${output} is the input, and its records would be lost, because ${emit} are written in their place`;
    throw new FirstseenError('E_USAGE', problem, {
      ...{ option: 'output', given: emit },
      remedy: phrase`name another ${output}`,
    });
  }
  if (isFollowing) refuse('isFollowing', true, 'a file that is followed is not complete');
  if (state !== undefined && !isReadOnly) {
    refuse('state', state, 'a run with a state reads its input again to go on, but this one replaces it');
  }
}

/** An output that is the only input. */
interface Replacement {
  /** Its name, as it was given. */
  name: string;
  format: InputFormatName;
  isCompressed: boolean;
}

/** @throws FirstseenError E_USAGE for a file that would be stored in another form than it is, because its name does not say its form. */
function refuseOtherForm(name: string, is: string, wouldBe: string): never {
  throw new FirstseenError('E_USAGE', `${name} is ${is}, but by its name it would be written as ${wouldBe}`, {
    ...{ option: 'output', given: name },
    remedy: phrase`rename the file, or name another ${optionName('output')}`,
  });
}

const TEXT = 'text';

/** The form of a compression, in a message. */
function formOf({ name }: Compression): string {
  return name === compressions.none.name ? TEXT : name;
}

/**
 * Checks that the output will be stored as the input is.
 * @throws FirstseenError E_USAGE when it would not be; E_INPUT when the input cannot be read.
 */
async function checkForm({ name, format, isCompressed }: Replacement): Promise<void> {
  const [input, output] = [formatOfFile(name, format), formatOfOutput({ path: name })];
  if (input.container && !output.container) refuseOtherForm(name, input.name, TEXT);
  const written = outputCompression({ path: name, isCompressed });
  if (output.container || isCompressed) return;
  const head = await withFile(name, (file) => readEdge(file, BEGINNING_BYTES, 0));
  const found = compressionOf(name, head, input.isBinary);
  if (head.length > 0 && found !== written) refuseOtherForm(name, formOf(found), formOf(written));
}

/** The codes of errors by which the system refuses to replace a file. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The error when a file cannot be replaced. @param refused what failed if the system has refused it, which the file itself does not show */
function replaceError(name: string, cause: unknown, refused: string): Error {
  if (cause instanceof FirstseenError) return cause;
  if (!REFUSALS.has((cause as NodeJS.ErrnoException).code)) return outputError(name, cause);
  const { problem } = systemProblem(cause, 'write');
  return new FirstseenError('E_OUTPUT', `cannot replace ${name}: ${refused}: ${problem}`, {
    ...{ cause, remedy: 'name another output, and copy it over the file' },
  });
}

export class InPlace {
  /** The options of the run that writes beside the input. */
  readonly options: SettledOptions;
  readonly #replacement: Replacement;
  /** The file that is replaced, without symbolic links: a link stays one. */
  readonly #path: string;
  readonly #part: string;
  #before: Stats | undefined;

  private constructor(options: SettledOptions, replacement: Replacement) {
    const { name } = replacement;
    this.#replacement = replacement;
    this.#path = realPathOf(name);
    // A name can be as long as the system allows, so only its end is kept, which decides how the file is stored. Processes of two
    // containers can have the same number.
    const part = `.firstseen-${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}${storedEnding(name)}`;
    this.#part = join(dirname(this.#path), part);
    this.options = { ...options, output: { ...options.output, output: this.#part } };
  }

  /** Undefined unless the output is the only input. @throws FirstseenError E_USAGE as `checkReplaced` */
  static of(options: SettledOptions, inputs: readonly InputRequest[], format: InputFormatName): InPlace | undefined {
    const { output, isCompressed } = options.output;
    const [input] = inputs;
    if (output === undefined || inputs.length !== 1 || !input?.file) return undefined;
    // Of a device or a pipe, the identity is its name.
    const identity = identityOf(output);
    if (input.identity?.() !== identity || input.file.path === identity) return undefined;
    checkReplaced(options);
    return new InPlace(options, { name: output, format, isCompressed });
  }

  /** Runs, and replaces the input by the output of a run that reached its end. */
  async around(run: () => Promise<RunStats>): Promise<RunStats> {
    await checkForm(this.#replacement);
    await this.#create();
    try {
      const stats = await run();
      if (!stats.interrupted) await this.#replace();
      return stats;
    } catch (error) {
      throw this.#named(error);
    } finally {
      // The error of the run is the one to report.
      for (const path of [this.#part, ...temporaryPaths([this.#part])]) {
        await rm(systemPath(path), { force: true }).catch(() => undefined);
      }
    }
  }

  /** An error with the name of the file instead of that of the output beside it, which nobody has given. */
  #named(error: unknown): unknown {
    if (!(error instanceof FirstseenError) || !error.message.includes(this.#part)) return error;
    const { code, problem, details } = error.data;
    const named = problem.map((part) =>
      typeof part === 'string' ? part.replaceAll(this.#part, this.#replacement.name) : part,
    );
    return new FirstseenError(code, named, { ...details, cause: error });
  }

  async #create(): Promise<void> {
    const { name } = this.#replacement;
    this.#before = await stat(systemPath(this.#path)).catch((cause) => {
      throw inputError(name, cause);
    });
    try {
      await (await open(systemPath(this.#part), 'wx', PRIVATE_MODE)).close();
    } catch (cause) {
      throw replaceError(name, cause, 'no file can be created in its folder');
    }
  }

  async #replace(): Promise<void> {
    const part = systemPath(this.#part);
    try {
      const file = await open(part, 'r+');
      await this.#complete(file).finally(() => file.close());
      await this.#checkUnchanged();
      await rename(part, systemPath(this.#path));
    } catch (cause) {
      throw replaceError(this.#replacement.name, cause, 'the new file cannot get its owner, permissions and name');
    }
  }

  async #complete(file: FileHandle): Promise<void> {
    await giveAccess(file, this.#before as Stats);
    await file.sync();
  }

  /** @throws FirstseenError E_INPUT when something has written to the input since the run began, or removed it. */
  async #checkUnchanged(): Promise<void> {
    const { ino, size, mtimeMs } = this.#before as Stats;
    const now = await stat(systemPath(this.#path)).catch(() => undefined);
    if (now && now.ino === ino && now.size === size && now.mtimeMs === mtimeMs) return;
    const [happened, remedy] = now
      ? ['changed while it was read', 'run the command again when nothing writes to it']
      : ['was removed or renamed while it was read', 'run the command again with the file in its place'];
    throw new FirstseenError('E_INPUT', `${this.#replacement.name} ${happened}, so it was not replaced`, { remedy });
  }
}
