// Connections and the open files that the system allows.

import { expect, test } from 'vitest';
import { connectionLimit } from '../../src/serve/connectionlimit.js';

const limits = (openFiles: number | undefined) => ({ openFiles, usedFiles: 30, usedBytes: 0 });

test.each([
  ['where the system tells no limit', undefined, 2, 10_000],
  ['where all fit', 20_094, 2, 10_000],
  ['where they do not fit', 20_093, 2, 9999],
  ['of one port', 1024, 1, 930],
  ['at the least', 96, 2, 1],
])('each port has its connections %s', (_, openFiles, ports, expected) => {
  const { maxConnections, warning } = connectionLimit({ maxConnections: 10_000, ports }, limits(openFiles));
  expect(maxConnections).toBe(expected);
  expect(warning === undefined).toBe(expected >= 9000);
});

test('a limit that is lowered is told', () => {
  expect(connectionLimit({ maxConnections: 10_000, ports: 2 }, limits(1024)).warning).toBe(
    'this process may have 1,024 open files, so each port takes 465 connections at most, not 10,000; raise the limit (ulimit -n)',
  );
});

test('a server that could not open its own files does not start', () => {
  expect(() => connectionLimit({ maxConnections: 10_000, ports: 2 }, limits(95))).toThrow(
    'this process may have 95 open files, but a server needs at least 96; raise the limit (ulimit -n)',
  );
});
