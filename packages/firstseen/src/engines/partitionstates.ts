// The states of partitions that reduce tasks load and save: files as `firstseen split` writes them.

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { askedNote, isAskedAlike } from '../checkpoint/asked.js';
import { UNNAMED_JOB } from '../checkpoint/jobnote.js';
import type { KeyNote, RunNote } from '../checkpoint/note.js';
import { pieceName } from '../checkpoint/partitions.js';
import { checkSameSettings } from '../checkpoint/resume.js';
import { readState, writeState } from '../checkpoint/runstate.js';
import { noState } from '../checkpoint/snapshotfile.js';
import { Detector } from '../detectors/detector.js';
import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import { addCounts, noCounts, type RunCounts } from '../framing/counts.js';
import { firstByte } from '../io/file/bytesink.js';
import type { FileNote } from '../io/source.js';
import { checkMemory, explainNotGranted } from '../io/system/limits.js';
import { makeFolder } from '../io/system/makefolder.js';
import { STANDARD_STREAM, systemPath } from '../io/system/paths.js';
import type { PlannedOptions } from '../plan/auto.js';
import { identityOf } from '../snapshot/partitions.js';
import { settingsOfPartition } from './taskdetector.js';

export interface PartitionStatesOptions {
  detector: PlannedOptions;
  settings: DetectorSettings;
  key: KeyNote;
  /** The folder of the states before; they stay as they are. Without one, every detector is new. */
  from?: string | undefined;
  /** The folder for the states after. Without one, none is saved. */
  to?: string | undefined;
}

/** The detector of one partition, and the counts over all runs before. */
export interface OpenPartition {
  partition: number;
  detector: Detector;
  totals: RunCounts;
}

const standardInput: FileNote = {
  path: STANDARD_STREAM,
  isFile: false,
  isCompressed: false,
  storedBytes: 0,
  digest: '',
};

/** The note of a run over the elements of a partition, which is finished. */
function noteOfRun(counts: RunCounts): RunNote {
  const readNote = { offset: counts.bytesIn, lines: counts.records, position: undefined };
  return {
    inputs: [standardInput],
    outputs: [{ path: null, isCompressed: false }],
    emit: 'distinct',
    partial: 'record',
    input: 0,
    ...readNote,
    reads: [{ input: standardInput, ...readNote, isWhole: true }],
    header: null,
    positions: [{ ...firstByte, owesNewline: false }],
    counts,
    isFinished: true,
  };
}

export class PartitionStates {
  readonly #options: PartitionStatesOptions;
  readonly #count: number;
  /** The names of the states that were saved. */
  readonly #saved: string[] = [];

  constructor(options: PartitionStatesOptions) {
    this.#options = options;
    this.#count = options.settings.partitions?.count ?? 1;
  }

  /**
   * The detector of a partition, as the state before has it, or else a new one.
   * @throws FirstseenError E_PARTITION for a number that is too large; E_STATE_FILE or E_SNAPSHOT when the state cannot be read,
   * E_STATE_DIFFERS when it is of other settings or of another partition; E_MEMORY.
   */
  async open(partition: number): Promise<OpenPartition> {
    if (partition >= this.#count) {
      throw new FirstseenError('E_PARTITION', `there is no partition ${partition} of ${this.#count}`, {
        remedy: phrase`give map and reduce the same ${optionName('partitions')}`,
      });
    }
    const settings = settingsOfPartition(this.#options.settings, partition);
    checkMemory({ detectorBytes: cellsBytesOf(settings), onWarning: undefined });
    try {
      const loadedPartition = await this.#load(partition, settings);
      return loadedPartition ?? { partition, detector: await Detector.ofSettings(settings), totals: noCounts };
    } catch (error) {
      throw explainNotGranted(error);
    }
  }

  async #load(partition: number, settings: DetectorSettings): Promise<OpenPartition | undefined> {
    const { from, detector: askedDetector, key } = this.#options;
    if (from === undefined) return undefined;
    const path = join(from, pieceName(partition, this.#count));
    const savedState = await readState(path);
    if (!savedState) throw noState(path, 'restore the folder');
    try {
      const { note, header } = savedState;
      const savedRun = { path, note, settings: header.settings, asked: note.asked, known: undefined };
      const option = optionName('states');
      checkSameSettings(savedRun, { jobName: UNNAMED_JOB, detector: askedDetector, key, option });
      const { partitions: savedPartitions } = header.settings;
      // The plan of another version may be another one, and goes on with the options that it was made for.
      const isSame =
        identityOf(header.settings) === identityOf(settings) || isAskedAlike(note.asked, askedNote(this.#allAsked()));
      if (!isSame || savedPartitions?.first !== settings.partitions?.first) {
        throw new FirstseenError('E_STATE_DIFFERS', `${path} has other settings, or is another partition`, {
          remedy: 'give all the flags that the state was made with',
        });
      }
      return { partition, detector: await savedState.restore({ leavesWitness: true }), totals: note.totals };
    } finally {
      await savedState.close();
    }
  }

  /** The options from which all partitions are made. */
  #allAsked(): PlannedOptions {
    return defined({ ...this.#options.detector, partitions: this.#count });
  }

  /**
   * Saves a partition.
   * @param counts of this run
   * @throws FirstseenError E_STATE_FILE when the file cannot be written.
   */
  async save({ partition, detector, totals }: OpenPartition, counts: RunCounts): Promise<void> {
    const { to, key } = this.#options;
    if (to === undefined) return;
    await makeFolder(to);
    const note = {
      key,
      run: noteOfRun(counts),
      totals: addCounts(totals, counts),
      asked: askedNote(this.#allAsked()),
      finishedRuns: [],
    };
    const name = pieceName(partition, this.#count);
    await writeState(join(to, name), detector, note);
    this.#saved.push(name);
  }

  /**
   * Writes the names of the states that were saved, each on a line, and then their number: whoever moves the states knows whether
   * they see all of them.
   * @throws FirstseenError E_STATE_FILE when the file cannot be written.
   */
  async writeList(path: string): Promise<void> {
    await makeFolder(dirname(path));
    try {
      await writeFile(systemPath(path), [...this.#saved, this.#saved.length].map((line) => `${line}\n`).join(''));
    } catch (cause) {
      const problem = `cannot write the list of states ${path}: ${(cause as Error).message}`;
      throw new FirstseenError('E_STATE_FILE', problem, { cause });
    }
  }
}
