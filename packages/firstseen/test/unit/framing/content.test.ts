import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkText } from '../../../src/framing/content/binarydata.js';
import { foreignContentOf } from '../../../src/framing/content/content.js';
import { type ForeignContent, foreignContents } from '../../../src/framing/content/foreigncontents.js';
import { dedupBytes } from '../../../src/index.js';

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0));
const stored = (base64: string) => Buffer.from(base64, 'base64');
const wide = (text: string, encoding: 'le' | 'be') => {
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'le' ? bytes : bytes.swap16();
};

/** A header of tar with this name. */
function tarHeader(name: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644', 100);
  header.write('ustar', 257);
  return header;
}

/** The header of a file in a zip archive, and its content. */
function zipFile(name: string, content = 'x', flags = 0): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, Buffer.from(name + content)]);
}

const officeFile = (folder: string) => Buffer.concat([zipFile('[Content_Types].xml'), zipFile(`${folder}/main.xml`)]);

/** Files of other programs: `a\nb\na\n` as xz, bzip2 and zip wrote it, and the beginnings that formats prescribe. */
const foreign: [what: string, bytes: Uint8Array][] = [
  [
    'compressed with xz',
    stored('/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAFYQpiCmEKAAAA+jokBwOysCUAAR4GwS+kHR+2830BAAAAAARZWg=='),
  ],
  ['compressed with lzma', stored('XQAAgAD//////////wAwgohtNGQlH//6OcAA')],
  ['compressed with lzma', stored('XQAAgAAGAAAAAAAAAAAwgohtNGQlH//6OcAA')],
  ['compressed with bzip2', stored('QlpoOTFBWSZTWaN7kqkAAAJBAAAQMAAgADDMDHqEXi7kinChIUb3JVI=')],
  ['a zip archive', stored('UEsDBBQAAAAAALKNeV1bbFE4BgAAAAYAAAABAAAAYWEKYgphClBLAQIU')],
  ['compressed with lz4', Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0x06)],
  ['compressed with snappy', Uint8Array.of(0xff, 6, 0, 0, ...ascii('sNaPpY'), 1)],
  ['a 7z archive', Uint8Array.of(...ascii('7z'), 0xbc, 0xaf, 0x27, 0x1c, 0, 4)],
  ['a tar archive', tarHeader('log/access.log')],
  ['Parquet', Uint8Array.of(...ascii('PAR1'), 0x15, 0x04, 0x15)],
  ['an Excel workbook', officeFile('xl')],
  ['a Word document', officeFile('word')],
  ['an OpenDocument spreadsheet', zipFile('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')],
  ['an encrypted zip archive', zipFile('a.csv', 'x', 1)],
  [
    'an encrypted file of Office, or one of before 2007',
    Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0),
  ],
  ['an ar archive', Buffer.from('!<arch>\ndebian-binary/  0           0     0     100644  4         `\n')],
  ['encrypted Parquet', Uint8Array.of(...ascii('PARE'), 0x15, 0x04, 0x15)],
  // As pyarrow begins it, without compression: a newline follows.
  ['ORC', Uint8Array.of(...ascii('ORC\n'), 0x0b, 0x0a, 0x03, 0, 0, 0, 0x12, 0x04, 0x08)],
  ['an Arrow file', Uint8Array.of(...ascii('ARROW1'), 0, 0, 0xff, 0xff, 0xff, 0xff)],
  ['an Arrow stream', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xa8, 0, 0, 0, 0x10, 0)],
  ['a PDF document', Buffer.from('%PDF-1.7\n%\xb5\xb6\n', 'latin1')],
  ['a PNG picture', Uint8Array.of(0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a, 0, 0, 0, 0x0d)],
  ['a program (ELF)', Uint8Array.of(0x7f, ...ascii('ELF'), 2, 1, 1, 0)],
  ['a program of Windows', Uint8Array.of(...ascii('MZ'), 0x90, 0, 3, 0, 0, 0)],
  ['a capture of packets', Uint8Array.of(0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0)],
  ['a capture of packets', Uint8Array.of(0x0a, 0x0d, 0x0d, 0x0a, 0x6c, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a)],
  ['a WARC archive', Buffer.from('WARC/1.0\r\nWARC-Type: warcinfo\r\n')],
  ['a WARC archive', Buffer.from('WARC/1.1\r\n')],
  ['an SQLite database', Uint8Array.of(...ascii('SQLite format 3'), 0, 0x10)],
  ['text in UTF-16', stored('//7pADEALAB6AHcAZQBpAAoA')],
  ['text in UTF-16', Uint8Array.of(0xfe, 0xff, 0, 0x61)],
  ['text in UTF-32', Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)],
  ['text in UTF-16', wide('id,name\r\n1,a\r\n', 'le')],
  ['text in UTF-16', wide('id,name\r\n1,a\r\n', 'be')],
  ['text in UTF-16', wide('é,ж\nя,б\n', 'le')],
  ['text in UTF-16', wide('Ж1\nЖ2\n', 'be')],
  ['text in UTF-16', wide('яблоко\n', 'le')],
  ['text in UTF-16', wide('אבג\n', 'be')],
  ['text in UTF-16', wide('h\ni\n', 'le')],
  ['text in UTF-16', wide('h\ni\n', 'be')],
  ['text in UTF-16', wide('姓名,年龄\n第一,1\n上海,2\n', 'le')],
  ['text in UTF-16', wide('姓名,年龄\n第一,1\n上海,2\n', 'be')],
  ['text in UTF-16', wide(`名字 ${'第一章 上海的春天'.repeat(50)}`, 'le')],
  ['text in UTF-16', wide('이름,나이\n김,1\n', 'le')],
  ['text in UTF-16', wide('なまえ,とし\nあい,1\n', 'le')],
  ['text in UTF-16', wide('नाम\nएक\n', 'be')],
  ['compressed twice, with gzip inside', gzipSync(gzipSync('a\na\n'))],
  ['compressed twice, with zstd inside', gzipSync(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1, 2))],
];

const texts: [about: string, bytes: Uint8Array][] = [
  ['ASCII', Buffer.from('a\nb\na\n')],
  ['nothing', Buffer.alloc(0)],
  ['the letters PAR1', Buffer.from('PAR1 is a postcode\n')],
  ['the letters WARC/1.1', Buffer.from('WARC/1.1 is a format\n')],
  ['the letters ORC', Buffer.from('ORC,name\n1,a\n')],
  ['the letters MZ', Buffer.from('MZ\n')],
  ['the letters PARE and RIFF', Buffer.from('PARE,RIFF\nRIFFraff was here, WAV\n')],
  ['the letters BZh9', Buffer.from('BZh9 and more\n')],
  ['a bracket', Buffer.from(']\nJSON\n')],
  ['a bracket and names that end with zeros', Buffer.from(']\0\0\n\nalpha\0beta\0gamma')],
  ['the letters PK', Buffer.from('PK,name\n1,a\n')],
  ['one character with a zero', Uint8Array.of(0x61, 0)],
  ['short names that end with zeros', Buffer.from('a\0b\0c\0')],
  ['longer names that end with zeros', Buffer.from('alpha\0beta\0gamma\0delta\0')],
  ['the word ustar where tar has it', Buffer.from(`${'x'.repeat(257)}ustar\n`)],
  ['a line that ends with a zero', Buffer.from('ab\0\ncd\0\n')],
  ['a line after which a zero comes', Buffer.from('ab\n\0cd\n')],
  ['lines with control characters', Buffer.from('\x01b\n\x02\n')],
  ['a first line that is empty', Buffer.from('\n\0\n')],
  ['Latin-1', Buffer.from('\xe9a\n\xe9\n', 'latin1')],
  ['Shift JIS', Buffer.from('93fa967b8cea2c310a8eb297382c320a', 'hex')],
  ['GB 18030', Buffer.from('d6d0cec42c310ac9cfbaa32c320a', 'hex')],
  ['Latin-1 and zeros at the end', Buffer.from(`caf\xe9 cr\xe8me\n${'\0'.repeat(12)}`, 'latin1')],
  ['lines whose fields have control characters between them', Buffer.from('caf\xe9\x011\x02x\n', 'latin1')],
  ['a mark of UTF-8', Buffer.from('\uFEFFid\n1\n')],
];

/** What chunks of a stream become, or the error. */
async function passed(bytes: Uint8Array, chunkBytes: number): Promise<string> {
  const stream = dedupBytes({ format: 'lines', memory: '64KiB', maxRecordBytes: 4096 });
  const writer = stream.writable.getWriter();
  const written = (async () => {
    for (let at = 0; at < bytes.length; at += chunkBytes) await writer.write(bytes.subarray(at, at + chunkBytes));
    await writer.close();
  })();
  const chunks: Uint8Array[] = [];
  const read = (async () => {
    for await (const chunk of stream.readable as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  })();
  const [failed] = (await Promise.allSettled([read, written])).filter(({ status }) => status === 'rejected');
  return failed ? String((failed as PromiseRejectedResult).reason.code) : Buffer.concat(chunks).toString('latin1');
}

describe.each(foreign)('%s (%#)', (what, given) => {
  test('is recognized, and only when the bytes that show it are there', () => {
    const bytes = what.startsWith('compressed twice') ? gunzipSync(given) : given;
    expect(foreignContentOf(bytes, true)).toMatchObject({ what });
    for (let length = 0; length < bytes.length; length++) {
      const found = foreignContentOf(bytes.subarray(0, length), false);
      if (found !== 'unknown') expect(found).toMatchObject({ what });
    }
  });

  test('is refused, however the stream is cut', async () => {
    for (const chunkBytes of [1, 3, given.length]) expect(await passed(given, chunkBytes)).toBe('E_INPUT');
  });
});

test.each(texts)('%s is text', async (_, bytes) => {
  expect(foreignContentOf(bytes, true)).toBeUndefined();
  expect((await passed(bytes, 1)).length).toBeGreaterThanOrEqual(Math.min(bytes.length, 1));
  expect(await passed(bytes, 1)).toBe(await passed(bytes, Math.max(1, bytes.length)));
});

test('lines of Chinese alone are recognized where the byte after the first line is there', () => {
  for (const encoding of ['le', 'be'] as const) {
    expect(foreignContentOf(wide('中文\n上海\n', encoding), true)).toMatchObject({ what: 'text in UTF-16' });
  }
});

describe('binary data of which nothing else is known', () => {
  const names = { name: 'in.bin', path: 'in.bin' };

  test('is refused', () => {
    for (const length of [40, 1000]) {
      const bytes = brotliCompressSync(Buffer.from(Array.from({ length }, (_, i) => (i * 7919) % 251)));
      expect(() => checkText(bytes, names)).toThrow(/^cannot read in.bin: it is binary data, not text; /);
      const brotli = { name: 'IN.BR', path: 'IN.BR' };
      expect(() => checkText(bytes, brotli)).toThrow(/IN.BR: it is compressed with brotli; .* brotli -dc IN.BR$/);
    }
  });

  test.each(texts)('is not %s', (_, bytes) => {
    expect(() => checkText(bytes, names)).not.toThrow();
  });
});

test('no complete line of text waits for the next one', () => {
  for (const line of ['ab\n', 'abc\n', '\xe9a\n', 'naïve café\n', 'яблоко\n', '中文\n', '{"id":1}\n']) {
    expect(foreignContentOf(Buffer.from(line), false)).toBeUndefined();
  }
});

test('each row says what to do', () => {
  const saysNothing = ({ command, remedy, format }: ForeignContent) => (command ?? remedy ?? format) === undefined;
  expect(foreignContents.filter(saysNothing)).toEqual([]);
});
