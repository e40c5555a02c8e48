// The files that log rotation has made of a log, found by their names: `app.log.1`, `app.log.2.gz`, `app.log-20260131`,
// `app-20260131.log.zst`.

import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withoutCompression } from '../compression/compressions.js';
import type { FileNote, RotatedFile } from '../source.js';
import { Folders } from '../system/folders.js';
import { isSamePath } from '../system/identity.js';
import { systemPath } from '../system/paths.js';

interface RotatedName {
  /** The name of the log. */
  log: string;
  /** The digits that rotation has added; empty for the log itself. */
  stamp: string;
}

/** Digits of a date; a stamp with fewer is the number of a generation. */
const DATE_DIGITS = 8;

const DATE_AT_END = /^(.+?)[._-](\d{4}[_-]?\d\d[_-]?\d\d[\d._:T-]*)$/;
const STAMP_AT_END = /^(.+?)[.-](\d[\d.-]*)$/;
const DATE_BEFORE_EXTENSION = /^(.+?)[._-](\d{4}[_-]?\d\d[_-]?\d\d[\d._:T-]*)(\.[a-z]\w*)$/i;
/** The extension that may be after the date in the name of a rotated file. */
const EXTENSION = /\.[a-z]\w*$/i;
const PATTERNS = [DATE_AT_END, STAMP_AT_END, DATE_BEFORE_EXTENSION];

/** The digits or words in names of rotated files that no pattern recognizes. */
const LOOKS_ROTATED = /\d|[._-](old|bak|backup|prev|previous|orig|save|last)\b/i;

function rotatedNameOf(path: string): RotatedName {
  const name = withoutCompression(basename(path));
  const [, log, stamp = '', extension = ''] =
    PATTERNS.map((pattern) => pattern.exec(name)).find((found) => found) ?? [];
  return log === undefined ? { log: name, stamp: '' } : { log: log + extension, stamp: stamp.replace(/\D/g, '') };
}

interface WantedNames {
  /** The beginning of all these names. */
  readonly prefix: string;
  /** @param isRotated whether rotation makes such names of the log */
  readonly isWanted: (name: string, isRotated: boolean) => boolean;
}

/** The names of files that rotation makes of this log. */
function rotatedNames(path: string): WantedNames {
  const { log } = rotatedNameOf(path);
  return { prefix: log.replace(EXTENSION, ''), isWanted: (_, isRotated) => isRotated };
}

const anyName: WantedNames = { prefix: '', isWanted: () => true };

function realPathOf({ path, realPath = path }: FileNote): string {
  return realPath;
}

/** Tells if two notes are of the same log, rotated or not, as far as their names show. */
export function isSameLog(one: FileNote, other: FileNote): boolean {
  if (isSamePath(one, other)) return true;
  const [first, second] = [realPathOf(one), realPathOf(other)];
  return dirname(first) === dirname(second) && rotatedNameOf(first).log === rotatedNameOf(second).log;
}

/** The device and inode of a file, as text: inodes may need 64 bits. */
export function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** A file of a log, without a way to look at it. */
export type LogFile = Omit<RotatedFile, 'look' | 'isBeginningOf'>;

/** Looks at a folder that log rotation may be changing at the same time. */
const MAX_LOOKS = 8;

type Order = (one: LogFile, other: LogFile) => number;

const byTime: Order = (one, other) => one.modifiedMilliseconds - other.modifiedMilliseconds;
const byNumber: Order = (one, other) => Number(stampOf(other)) - Number(stampOf(one));
const byDate: Order = (one, other) => (stampOf(one) < stampOf(other) ? -1 : 1);

/** The digits of a file's stamp; empty if its name is not recognized. */
function stampOf({ path, isRecognized }: LogFile): string {
  return isRecognized ? rotatedNameOf(path).stamp : '';
}

/** The order in which the files were written, if all names have numbers, the highest the oldest, or all have dates; or else by time. */
function orderOf(files: readonly LogFile[]): Order {
  const digits = files.map((file) => stampOf(file).length);
  if (digits.includes(0)) return byTime;
  if (digits.every((count) => count < DATE_DIGITS)) return byNumber;
  return digits.every((count) => count >= DATE_DIGITS) ? byDate : byTime;
}

async function fileAt(path: string, isRecognized: boolean): Promise<LogFile | undefined> {
  const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const [storedBytes, modifiedMilliseconds] = [Number(stats.size), Number(stats.mtimeMs)];
  return { path, isRecognized, inode: inodeOf(stats), storedBytes, modifiedMilliseconds };
}

/** The files in the folder of a log whose names are wanted. */
async function filesBeside(path: string, folders: Folders, { prefix, isWanted }: WantedNames): Promise<LogFile[]> {
  const { log } = rotatedNameOf(path);
  const folder = dirname(path);
  const namedFiles = (await folders.namesIn(folder, prefix)).map((name) => {
    const rotatedName = rotatedNameOf(name);
    return { name, isRotated: rotatedName.log === log && rotatedName.stamp !== '' };
  });
  const wantedFiles = namedFiles.filter(({ name, isRotated }) => isWanted(name, isRotated));
  const files = await Promise.all(wantedFiles.map(({ name, isRotated }) => fileAt(join(folder, name), isRotated)));
  return files.filter((file) => file !== undefined);
}

/** The paths at which a folder has a file now, whatever its name. */
export async function pathsOfInode(folder: string, inode: string): Promise<string[]> {
  const paths = (await new Folders().namesIn(folder)).map((name) => join(folder, name));
  const files = await Promise.all(paths.map((path) => fileAt(path, false)));
  return files.flatMap((file) => (file?.inode === inode ? [file.path] : []));
}

/** Leaves out compressed files that are beside the file they were made of, because they may be incomplete. */
function withoutCopies(files: readonly LogFile[]): LogFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.filter(({ path }) => {
    const original = withoutCompression(path);
    return original === path || !paths.has(original);
  });
}

const noInodes: ReadonlySet<string> = new Set();

/** The files that log rotation has made of a log, by their names or inodes. */
async function lookAround(path: string, folders: Folders, inodes: ReadonlySet<string>): Promise<LogFile[]> {
  const live = await fileAt(path, false);
  const isSought = ({ inode }: LogFile) => inodes.has(inode) && inode !== live?.inode;
  // Files of other names matter only if an inode is looked for that the log no longer has. There may be many such files.
  const wanted = inodes.size > (live && inodes.has(live.inode) ? 1 : 0) ? anyName : rotatedNames(path);
  const files = await filesBeside(path, folders, wanted);
  return files.filter((file) => file.isRecognized || isSought(file));
}

function isSameList(one: readonly LogFile[], other: readonly LogFile[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ path, inode }, i) => {
      const file = other[i] as LogFile;
      return file.path === path && file.inode === inode;
    })
  );
}

/** The files of a log, at a time at which none of them is being renamed, as far as looking again shows. */
async function lookUntilQuiet(path: string, folders: Folders, inodes: ReadonlySet<string>): Promise<LogFile[]> {
  let files = await lookAround(path, folders, inodes);
  for (let looks = 1; looks < MAX_LOOKS; looks++) {
    const before = files;
    files = await lookAround(path, folders, inodes);
    if (isSameList(before, files)) break;
  }
  return files;
}

/**
 * The files that log rotation has made of a log before the file at this path, the oldest first.
 * @param inodes of files that belong to the log whatever their names are
 */
export async function rotatedBefore(path: string, folders: Folders, inodes = noInodes): Promise<LogFile[]> {
  const files = withoutCopies(await lookUntilQuiet(path, folders, inodes));
  const sorted = files.sort(orderOf(files));
  if (rotatedNameOf(path).stamp === '') return sorted;
  const own = sorted.findIndex((file) => file.path === path);
  return own < 0 ? [] : sorted.slice(0, own);
}

/** A name without its numbers and compression, and without the words for an older file. */
function stemOf(name: string): string {
  return withoutCompression(name).split('.')[0] as string;
}

/** Files whose names look like those of rotated files of a log, but are not recognized. */
export async function unrecognizedBeside(path: string, folders: Folders): Promise<LogFile[]> {
  const [own, stem] = [basename(path), stemOf(basename(path))];
  const isWanted = (name: string) => name !== own && name.includes(stem) && LOOKS_ROTATED.test(name);
  const files = await filesBeside(path, folders, { prefix: '', isWanted });
  return files.filter(({ isRecognized, storedBytes }) => !isRecognized && storedBytes > 0);
}
