// The files that log rotation has made of a log, found by their names: `app.log.1`, `app.log.2.gz`, `app.log-20260131`,
// `app-20260131.log.zst`.

import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSamePath } from '../identity.js';
import { pathOfBytes, systemPath } from '../paths.js';
import type { InputNote, RotatedFile } from './contract.js';

interface RotatedName {
  /** The name of the log. */
  log: string;
  /** The digits that rotation has added; empty for the log itself. */
  stamp: string;
}

/** Digits of a date; a stamp with fewer is the number of a generation. */
const DATE_DIGITS = 8;

const COMPRESSION = /\.(gz|zst)$/;
const STAMP_AT_END = /^(.+?)[.-](\d[\d.-]*)$/;
const DATE_BEFORE_EXTENSION = /^(.+?)[._-](\d{4}-?\d\d-?\d\d[\d._-]*)(\.[a-z]\w*)$/i;

function rotatedNameOf(path: string): RotatedName {
  const name = basename(path).replace(COMPRESSION, '');
  const [, log, stamp = '', extension = ''] = STAMP_AT_END.exec(name) ?? DATE_BEFORE_EXTENSION.exec(name) ?? [];
  return log === undefined ? { log: name, stamp: '' } : { log: log + extension, stamp: stamp.replace(/\D/g, '') };
}

function realPathOf({ path, realPath = path }: InputNote): string {
  return realPath;
}

/** Whether two notes are of the same log, rotated or not, as far as their names tell. */
export function isSameLog(one: InputNote, other: InputNote): boolean {
  if (isSamePath(one, other)) return true;
  const [first, second] = [realPathOf(one), realPathOf(other)];
  return dirname(first) === dirname(second) && rotatedNameOf(first).log === rotatedNameOf(second).log;
}

/** The path of the log to which a rotated file belongs. */
export function logPathOf(path: string): string {
  return join(dirname(path), rotatedNameOf(path).log);
}

/** The device and inode of a file, as text: inodes may need 64 bits. */
export function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** A file of a log, without a way to look at it. */
export type LogFile = Omit<RotatedFile, 'look'>;

type Order = (one: LogFile, other: LogFile) => number;

const byTime: Order = (one, other) => one.modifiedMilliseconds - other.modifiedMilliseconds;
const byNumber: Order = (one, other) => Number(stampOf(other)) - Number(stampOf(one));
const byDate: Order = (one, other) => (stampOf(one) < stampOf(other) ? -1 : 1);

function stampOf({ path }: LogFile): string {
  return rotatedNameOf(path).stamp;
}

/** The order in which the files were written, if all names have numbers, the highest the oldest, or all have dates; or else by time. */
function orderOf(files: readonly LogFile[]): Order {
  const digits = files.map((file) => stampOf(file).length);
  if (digits.every((count) => count < DATE_DIGITS)) return byNumber;
  return digits.every((count) => count >= DATE_DIGITS) ? byDate : byTime;
}

async function filesNamed(folder: string, names: readonly string[]): Promise<LogFile[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(systemPath(path), { bigint: true }).catch(() => undefined);
      if (!stats?.isFile()) return [];
      return [
        { path, inode: inodeOf(stats), storedBytes: Number(stats.size), modifiedMilliseconds: Number(stats.mtimeMs) },
      ];
    }),
  );
  return found.flat();
}

/** Without compressed files that are beside the file they were made of, because they may be incomplete. */
function withoutCopies(files: readonly LogFile[]): LogFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.filter(({ path }) => !COMPRESSION.test(path) || !paths.has(path.replace(COMPRESSION, '')));
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(systemPath(folder), 'buffer').catch(() => []);
  return names.map((name) => pathOfBytes(name));
}

/** The files that log rotation has made of a log before the file at this path, the oldest first. */
export async function rotatedBefore(path: string): Promise<LogFile[]> {
  const { log, stamp } = rotatedNameOf(path);
  const folder = dirname(path);
  const names = (await namesIn(folder)).filter((name) => {
    const found = rotatedNameOf(name);
    return found.log === log && found.stamp !== '';
  });
  const files = withoutCopies(await filesNamed(folder, names));
  const sorted = files.sort(orderOf(files));
  if (stamp === '') return sorted;
  const own = sorted.findIndex((file) => file.path === path);
  return own < 0 ? [] : sorted.slice(0, own);
}
