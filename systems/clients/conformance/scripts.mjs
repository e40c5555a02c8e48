// What is sent to both servers, and why the replies may differ.

import { differs, numbered, raw } from './steps.mjs';

/** Scripts for Redis and Valkey. Each has a connection of its own. */
const core = {
  connection: [
    ...[
      'PING',
      'ping hello',
      'PING a b',
      'ECHO a',
      'ECHO',
      'ECHO a b',
      'SELECT 0',
      'SELECT x',
      'SELECT',
      'SELECT -1',
      'SELECT 99',
    ],
    differs('SELECT 1', 'databases'),
    ...['AUTH', 'AUTH a', 'AUTH default a', 'AUTH a b', 'AUTH a b c', 'NOTHING', 'NOTHING a b', 'NOTHING\r\n a'],
    ...['HELLO x', 'HELLO 1', 'HELLO 4', 'HELLO 2 NOTHING', 'HELLO 2 SETNAME', 'HELLO 2 AUTH a', 'HELLO 2 AUTH a b'],
    ...[
      'CLIENT',
      'CLIENT NOTHING',
      'CLIENT GETNAME',
      'CLIENT SETNAME me',
      'CLIENT GETNAME',
      'CLIENT SETNAME',
      'CLIENT GETNAME a',
    ],
    { command: ['CLIENT', 'SETNAME', 'a b'] },
    ...['HELLO 2 SETNAME you', 'HELLO 3 SETNAME me'].map((command) => differs(command, 'greeting')),
    ...['CLIENT GETNAME', 'CLIENT NO-EVICT on', 'CLIENT NO-EVICT', 'CLIENT NO-EVICT maybe', 'CLIENT ID a'],
    numbered('CLIENT ID'),
    ...['RESET', 'RESET a', 'PING', 'QUIT'],
  ],
  keys: [
    ...[
      'DBSIZE',
      'DBSIZE a',
      'EXISTS a',
      'EXISTS',
      'EXISTS a b a',
      'TYPE a',
      'TYPE',
      'TYPE a b',
      'DEL a',
      'DEL',
      'DEL a b',
      'UNLINK a',
      'UNLINK',
    ],
  ],
  server: [
    ...['CONFIG', 'CONFIG NOTHING', 'CONFIG GET', 'CONFIG GET nothing', 'CONFIG GET save', 'CONFIG GET appendonly'],
    differs('CONFIG GET databases', 'databases'),
    ...['COMMAND NOTHING', 'COMMAND INFO nothing', 'COMMAND DOCS nothing', 'COMMAND COUNT a', 'INFO nothing'],
    numbered('COMMAND COUNT'),
  ],
  transactions: [
    ...['EXEC', 'DISCARD', 'MULTI', 'PING', 'ECHO a', 'EXEC', 'MULTI', 'EXEC', 'MULTI', 'PING', 'DISCARD', 'EXEC'],
    ...['MULTI', 'NOTHING', 'PING', 'EXEC', 'MULTI', 'ECHO', 'EXEC', 'MULTI a', 'EXEC a', 'DISCARD a', 'PING'],
    ...['MULTI', 'SELECT x', 'ECHO b', 'EXEC', 'UNWATCH', 'UNWATCH a', 'WATCH'],
    differs('WATCH a', 'watch'),
    ...['MULTI', 'PING', 'RESET', 'EXEC', 'MULTI', 'QUIT'],
  ],
  'lines and empty arrays': [
    raw('PING\r\n'),
    raw('PING\n'),
    raw('\r\n\r\nECHO "a \\x41\\n\\"b\\""\r\n'),
    raw("ECHO 'it\\'s \\x41'\r\n"),
    raw('ECHO a"b c"\r\n'),
    raw('ECHO ""\r\n'),
    raw('*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n'),
    raw('PING\r\nPING\r\n*1\r\n$4\r\nPING\r\nECHO a\r\n', 4),
  ],
};

/** Valkey has other errors here. */
const errors = {
  'commands that are not taken in transactions': ['MULTI', 'MULTI', 'WATCH a', 'PING', 'EXEC'],
  ...Object.fromEntries(
    [
      'ECHO "open\r\n',
      'ECHO "a"b\r\n',
      '*x\r\n',
      '*\r\n',
      '*01\r\n',
      '*1\r\nPING\r\n',
      '*1\r\n#4\r\n',
      '*1\r\n$x\r\n',
      '*1\r\n$-1\r\n',
      '*1\r\n$99999999999\r\n',
      '*99999999999\r\n',
      `*1\r\n$${'1'.repeat(70_000)}`,
      `*${'1'.repeat(70_000)}`,
      'x'.repeat(70_000),
    ].map((bytes) => [
      `error of the protocol: ${JSON.stringify(bytes.slice(0, 30))}`,
      [{ ...raw(bytes, 2), isLast: true }],
    ]),
  ),
  'a bulk string with another end': [differs(raw('*1\r\n$4\r\nPINGxx\r\n', 1), 'ends')],
};

/** Redis has it from version 7.2 on. */
const library = {
  'the library of a client': [
    ...['CLIENT SETINFO LIB-NAME', 'CLIENT SETINFO LIB-NAME a', 'CLIENT SETINFO lib-ver 1', 'CLIENT SETINFO x y'],
    { command: ['CLIENT', 'SETINFO', 'lib-name', 'a b'] },
  ],
};

const bloom = {
  reserve: [
    ...[
      'BF.RESERVE',
      'BF.RESERVE r',
      'BF.RESERVE r 0.01',
      'BF.RESERVE r x 100',
      'BF.RESERVE r 0 100',
      'BF.RESERVE r 1 100',
    ],
    ...[
      'BF.RESERVE r -0.1 100',
      'BF.RESERVE r 0.01 x',
      'BF.RESERVE r 0.01 0',
      'BF.RESERVE r 0.01 -1',
      'BF.RESERVE r 0.01 1.5',
    ],
    ...['BF.RESERVE r nan 100', 'BF.RESERVE r inf 100', 'BF.RESERVE r 2 100'],
    differs('BF.RESERVE other 0.01 100 NOTHING', 'words'),
    ...['BF.RESERVE r 0.01 100 EXPANSION', 'BF.RESERVE r 0.01 100 EXPANSION x', 'BF.RESERVE r 0.01 100 EXPANSION -1'],
    ...[
      'BF.RESERVE r 0.01 100 NONSCALING EXPANSION 2',
      'BF.RESERVE r 0.01 1e2',
      'BF.RESERVE r 0.01 100',
      'BF.RESERVE r 0.01 100',
    ],
    ...['BF.RESERVE r 0.01 100 NONSCALING', 'BF.RESERVE r 0.01 100 a b c d e f'],
    differs('BF.RESERVE grows 0.01 100 EXPANSION 2', 'growth'),
    differs('BF.RESERVE still 0.01 100 EXPANSION 0', 'zero'),
  ],
  items: [
    'BF.RESERVE i 0.0001 1000',
    ...['BF.ADD', 'BF.ADD i', 'BF.ADD i a b', 'BF.ADD i a', 'bf.add i a', 'BF.MADD', 'BF.MADD i', 'BF.MADD i a b b c'],
    ...[
      'BF.EXISTS',
      'BF.EXISTS i',
      'BF.EXISTS i a',
      'BF.EXISTS i x',
      'BF.EXISTS i a b',
      'BF.MEXISTS',
      'BF.MEXISTS i',
      'BF.MEXISTS i a x',
    ],
    ...['BF.EXISTS none a', 'BF.MEXISTS none a b', 'BF.CARD i', 'BF.CARD none', 'BF.CARD', 'BF.CARD i a'],
    { command: ['BF.ADD', 'i', ''] },
    { command: ['BF.ADD', 'i', ''] },
    ...['EXISTS i none i', 'DEL i none', 'EXISTS i', 'BF.EXISTS i a'],
  ],
  'names that do not exist': [
    differs('BF.ADD missing1 a', 'missing'),
    differs('BF.MADD missing2 a b', 'missing'),
    differs('BF.INSERT missing3 ITEMS a', 'missing'),
  ],
  insert: [
    ...[
      'BF.INSERT',
      'BF.INSERT n',
      'BF.INSERT n a',
      'BF.INSERT n ITEMS',
      'BF.INSERT n NOCREATE ITEMS b',
      'BF.INSERT n NOCREATE ITEMS a',
    ],
    ...[
      'BF.INSERT n CAPACITY ITEMS a',
      'BF.INSERT n CAPACITY x ITEMS a',
      'BF.INSERT n CAPACITY 0 ITEMS a',
      'BF.INSERT n ERROR x ITEMS a',
    ],
    ...[
      'BF.INSERT n ERROR 2 ITEMS a',
      'BF.INSERT n ERROR 0 ITEMS a',
      'BF.INSERT n CAPACITY 100 ERROR 0.001 ITEMS a b a',
    ],
    ...[
      'BF.INSERT n ITEMS a c',
      'BF.INSERT n NOCREATE ITEMS d d',
      'BF.INSERT n CAPACITY 7 NOCREATE ITEMS a',
      'BF.INSERT n EXPANSION x ITEMS a',
    ],
    differs('BF.INSERT typed NOTHING ITEMS a', 'words'),
    'BF.INSERT m CAPACITY 100 NONSCALING ITEMS a',
    differs('BF.INSERT o CAPACITY 100 EXPANSION 2 ITEMS a', 'growth'),
    'BF.CARD n',
  ],
  'a full filter': [
    'BF.RESERVE full 0.01 2 NONSCALING',
    'BF.ADD full a',
    'BF.MADD full b c d',
    'BF.ADD full e',
    'BF.ADD full a',
    'BF.INSERT full ITEMS x y',
    'BF.CARD full',
    'BF.EXISTS full e',
  ],
  info: [
    'BF.RESERVE info 0.01 100',
    ...[
      'BF.INFO',
      'BF.INFO none',
      'BF.INFO info NOTHING',
      'BF.INFO info CAPACITY',
      'BF.INFO info filters',
      'BF.INFO info ITEMS',
    ],
    ...['BF.INFO none CAPACITY', 'BF.INFO info a b'],
    differs('BF.INFO info SIZE', 'size'),
    differs('BF.INFO info EXPANSION', 'expansion'),
    differs('BF.INFO info', 'info'),
  ],
  'filters and other commands': [
    'BF.RESERVE t 0.01 100',
    differs('TYPE t', 'type'),
    differs('BF.SCANDUMP t 0', 'dump'),
    differs('BF.LOADCHUNK u 1 x', 'dump'),
    ...['MULTI', 'BF.ADD t a', 'BF.MADD t a b', 'EXEC'],
    ...[
      'MULTI',
      'BF.RESERVE t 0.01 100',
      'BF.RESERVE v 0.01 100',
      'BF.ADD v a',
      'BF.EXISTS none a',
      'EXEC',
      'UNLINK t v',
    ],
  ],
  'a transaction with a wrong number of arguments': [
    ...['BF.RESERVE w 0.01 100', 'MULTI'],
    differs('BF.EXISTS w', 'arity'),
    differs('EXEC', 'arity'),
  ],
  pipelines: [
    'BF.RESERVE p 0.0001 1000',
    raw(
      // A line with a wrong number of arguments ends a connection: it may belong to another protocol (docs/SECURITY.md).
      'BF.ADD p a\r\nBF.ADD p a\r\nBF.EXISTS p a\r\nBF.EXISTS p b\r\nBF.MADD p a b\r\nPING\r\nBF.ADD p b\r\n',
      7,
    ),
  ],
};

export const scripts = {
  valkey: { ...core, ...library },
  redis: { ...core, ...errors, ...bloom },
};
