// Content that is not read as text: compressions, archives, files of other programs, and text in an encoding of two or four bytes.

import type { FormatName, InputFormatName } from '../../records/formats.js';

/** Content that is not read, recognized by its first bytes. */
export interface ForeignContent {
  /** The words for such an input in a message. */
  readonly what: string;
  /** The endings of the names of such files, if outputs of these names would be expected to have such content. */
  readonly endings?: readonly string[];
  /** The offset of the bytes that show this content. */
  readonly at?: number;
  /** The bytes themselves; undefined where any byte may be. Absent for content that only a name tells. */
  readonly bytes?: readonly (number | undefined)[];
  /** True if a text may begin with these bytes too, so that a control character among the next ones has to show that it is none. */
  readonly mayBeText?: boolean;
  /** The beginning of the name of a file in a zip archive, or the name and the content of one. */
  readonly file?: string;
  /** A bit that is set: where its byte is, and its mask. */
  readonly bit?: readonly [at: number, mask: number];
  /** A program that writes the content as text in UTF-8, before the name of the file. */
  readonly command?: string;
  /** The remedy, for content that no command converts. */
  readonly remedy?: string;
  /** The format of records as which such content is read. */
  readonly format?: FormatName;
  /** The format of files that have such content. */
  readonly fileFormat?: InputFormatName;
}

const bytesOf = (text: string) => [...text].map((character) => character.charCodeAt(0));

const ANY = undefined;

/** The sizes of a content, in eight bytes of a header of LZMA: unknown, or less than 256 GiB. */
const lzmaSizes = [Array(8).fill(0xff), [ANY, ANY, ANY, ANY, ANY, 0, 0, 0]];

/** The beginning of a file in a zip archive. */
const ZIP = [...bytesOf('PK'), 3, 4];

const asCsv = 'save its table as csv in UTF-8';
const noRecords = 'leave it out; it has no records of text';

const compressed: readonly ForeignContent[] = [
  // The .xz file format, section 2.1.1.1.
  { what: 'compressed with xz', endings: ['.xz'], bytes: [0xfd, ...bytesOf('7zXZ'), 0], command: 'xz -dc' },
  // The usual properties, the size of a dictionary of whole 64 KiB, the size of the content, and the first byte of the code, which is 0.
  ...lzmaSizes.map((size) => ({
    ...{ what: 'compressed with lzma', endings: ['.lzma'], command: 'xz -dc' },
    bytes: [0x5d, 0, 0, ANY, ANY, ...size, 0],
  })),
  // "BZh", a level, and the number of a block; the level is not compared.
  ...Array.from({ length: 9 }, (_, level) => ({
    ...{ what: 'compressed with bzip2', endings: ['.bz2'], command: 'bzip2 -dc' },
    bytes: [...bytesOf(`BZh${level + 1}`), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  })),
  // A file that is compressed once can be read.
  { what: 'compressed twice, with gzip inside', bytes: [0x1f, 0x8b, 8], command: 'gzip -dc' },
  { what: 'compressed twice, with zstd inside', bytes: [0x28, 0xb5, 0x2f, 0xfd], command: 'zstd -dc' },
  { what: 'compressed with lz4', endings: ['.lz4'], bytes: [0x04, 0x22, 0x4d, 0x18], command: 'lz4 -dc' },
  { what: 'compressed with lzip', endings: ['.lz'], bytes: [...bytesOf('LZIP'), 1], command: 'lzip -dc' },
  { what: 'compressed with compress', endings: ['.Z'], bytes: [0x1f, 0x9d], command: 'gzip -dc' },
  { what: 'compressed with lzop', endings: ['.lzo'], bytes: [0x89, ...bytesOf('LZO'), 0], command: 'lzop -dc' },
  {
    what: 'compressed with snappy',
    endings: ['.sz', '.snappy'],
    bytes: [0xff, 6, 0, 0, ...bytesOf('sNaPpY')],
    command: 'snzip -dc',
  },
  // Its first bytes may be any.
  { what: 'compressed with brotli', endings: ['.br'], command: 'brotli -dc' },
];

const archives: readonly ForeignContent[] = [
  { what: 'an Excel workbook', endings: ['.xlsx', '.xlsm'], bytes: ZIP, file: 'xl/', remedy: asCsv },
  { what: 'a Word document', endings: ['.docx'], bytes: ZIP, file: 'word/', remedy: 'save its text in UTF-8' },
  { what: 'a PowerPoint presentation', endings: ['.pptx'], bytes: ZIP, file: 'ppt/', remedy: noRecords },
  {
    ...{ what: 'an OpenDocument spreadsheet', endings: ['.ods'], bytes: ZIP, remedy: asCsv },
    file: 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet',
  },
  { what: 'an encrypted zip archive', bytes: ZIP, bit: [6, 1], command: 'unzip -P PASSWORD -p' },
  { what: 'a zip archive', endings: ['.zip'], bytes: ZIP, command: 'unzip -p' },
  // Old files of Office, and encrypted new ones, are in the same container (MS-CFB, section 2.2).
  {
    ...{ what: 'an encrypted file of Office, or one of before 2007', endings: ['.xls', '.doc', '.ppt'] },
    ...{
      bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
      remedy: `open it, with its password if it has one, and ${asCsv}`,
    },
  },
  { what: 'a 7z archive', endings: ['.7z'], bytes: [...bytesOf('7z'), 0xbc, 0xaf, 0x27, 0x1c], command: '7z x -so' },
  { what: 'a rar archive', endings: ['.rar'], bytes: [...bytesOf('Rar!'), 0x1a, 7], command: 'unrar p -inul' },
  { what: 'a tar archive', endings: ['.tar', '.tgz', '.tzst'], at: 257, bytes: bytesOf('ustar'), command: 'tar -xOf' },
  { what: 'an ar archive', endings: ['.deb'], bytes: bytesOf('!<arch>\n'), command: 'ar p' },
  { what: 'a cab archive', endings: ['.cab'], bytes: [...bytesOf('MSCF'), 0, 0, 0, 0], command: 'cabextract -p' },
  { what: 'an RPM package', endings: ['.rpm'], bytes: [0xed, 0xab, 0xee, 0xdb], command: 'rpm2cpio' },
];

const encrypted: readonly ForeignContent[] = [
  { what: 'encrypted with age', endings: ['.age'], bytes: bytesOf('age-encryption.org/v1\n'), command: 'age -d' },
  {
    what: 'encrypted with openssl',
    bytes: bytesOf('Salted__'),
    mayBeText: true,
    remedy: 'decrypt it with openssl enc -d and the same options',
  },
  {
    what: 'encrypted Parquet',
    bytes: bytesOf('PARE'),
    mayBeText: true,
    remedy: 'write it without encryption, with the program that has the keys',
  },
];

const tables: readonly ForeignContent[] = [
  // A file begins with a page, whose header begins with a field of type i32 (Thrift's compact protocol).
  {
    ...{ what: 'Parquet', fileFormat: 'parquet', bytes: [...bytesOf('PAR1'), 0x15] },
    remedy: 'give it as a file whose name ends in .parquet',
  },
  { what: 'Avro', endings: ['.avro'], bytes: [...bytesOf('Obj'), 1], command: 'avro-tools tojson' },
  { what: 'ORC', endings: ['.orc'], bytes: bytesOf('ORC'), mayBeText: true, command: 'orc-contents' },
  {
    what: 'an Arrow file',
    endings: ['.arrow', '.ipc'],
    bytes: [...bytesOf('ARROW1'), 0, 0],
    remedy: 'write it as Parquet, with pyarrow or polars',
  },
  {
    what: 'an Arrow stream',
    endings: ['.arrows'],
    bytes: [0xff, 0xff, 0xff, 0xff, ANY, ANY, 0, 0],
    remedy: 'write it as Parquet, with pyarrow or polars',
  },
  {
    what: 'a Feather file',
    endings: ['.feather'],
    bytes: bytesOf('FEA1'),
    mayBeText: true,
    remedy: 'write it as Parquet, with pyarrow or polars',
  },
  {
    what: 'an HDF5 file',
    endings: ['.h5', '.hdf5'],
    bytes: [0x89, ...bytesOf('HDF\r\n'), 0x1a, 0x0a],
    remedy: 'write its table as csv or Parquet',
  },
  {
    what: 'an array of NumPy',
    endings: ['.npy'],
    bytes: [0x93, ...bytesOf('NUMPY')],
    remedy: 'write it as csv, with numpy.savetxt',
  },
  // The version, and the end of its line (ISO 28500, section 4).
  { what: 'a WARC archive', format: 'warc', bytes: [...bytesOf('WARC/1.'), ANY, 0x0d, 0x0a] },
  {
    ...{ what: 'an SQLite database', endings: ['.sqlite', '.sqlite3'], bytes: [...bytesOf('SQLite format 3'), 0] },
    remedy: 'export a table, with sqlite3 -csv',
  },
];

const pictures = [
  { what: 'a PNG picture', endings: ['.png'], bytes: [0x89, ...bytesOf('PNG\r\n'), 0x1a, 0x0a] },
  { what: 'a JPEG picture', endings: ['.jpg', '.jpeg'], bytes: [0xff, 0xd8, 0xff] },
  { what: 'a GIF picture', endings: ['.gif'], bytes: [...bytesOf('GIF8'), ANY, ...bytesOf('a')] },
  {
    what: 'a sound, a film or a WebP picture',
    bytes: [...bytesOf('RIFF'), ANY, ANY, ANY, ANY, ...bytesOf('W')],
    mayBeText: true,
  },
  { what: 'a film', endings: ['.mp4'], bytes: [0, 0, 0, ANY, ...bytesOf('ftyp')] },
  { what: 'a sound or a film', endings: ['.ogg'], bytes: [...bytesOf('OggS'), 0] },
];

const programs = [
  { what: 'a program (ELF)', bytes: [0x7f, ...bytesOf('ELF')] },
  { what: 'a program of Windows', endings: ['.exe', '.dll'], bytes: bytesOf('MZ'), mayBeText: true },
  { what: 'a program of macOS', bytes: [0xcf, 0xfa, 0xed, 0xfe] },
  { what: 'a class of Java', endings: ['.class'], bytes: [0xca, 0xfe, 0xba, 0xbe] },
  { what: 'a module of WebAssembly', endings: ['.wasm'], bytes: [0, ...bytesOf('asm')] },
];

const captures = [
  { what: 'a capture of packets', endings: ['.pcap'], bytes: [0xd4, 0xc3, 0xb2, 0xa1] },
  { what: 'a capture of packets', bytes: [0xa1, 0xb2, 0xc3, 0xd4] },
  { what: 'a capture of packets', bytes: [0x4d, 0x3c, 0xb2, 0xa1] },
  { what: 'a capture of packets', bytes: [0xa1, 0xb2, 0x3c, 0x4d] },
  // A block of the type of a section, in the byte order of the machine that wrote it.
  {
    what: 'a capture of packets',
    endings: ['.pcapng'],
    bytes: [0x0a, 0x0d, 0x0d, 0x0a, ANY, ANY, ANY, ANY, 0x4d, 0x3c, 0x2b, 0x1a],
  },
  { what: 'a capture of packets', bytes: [0x0a, 0x0d, 0x0d, 0x0a, ANY, ANY, ANY, ANY, 0x1a, 0x2b, 0x3c, 0x4d] },
];

const otherContents: readonly ForeignContent[] = [
  { what: 'a PDF document', endings: ['.pdf'], bytes: bytesOf('%PDF-'), command: 'pdftotext' },
  ...[...pictures, ...programs].map((row) => ({ ...row, remedy: noRecords })),
  ...captures.map((row) => ({ ...row, command: 'tshark -r' })),
];

const encodings: readonly ForeignContent[] = [
  // The mark of UTF-32 begins like that of UTF-16.
  { what: 'text in UTF-32', bytes: [0xff, 0xfe, 0, 0], command: 'iconv -f UTF-32 -t UTF-8' },
  { what: 'text in UTF-32', bytes: [0, 0, 0xfe, 0xff], command: 'iconv -f UTF-32 -t UTF-8' },
  { what: 'text in UTF-16', bytes: [0xff, 0xfe], command: 'iconv -f UTF-16 -t UTF-8' },
  { what: 'text in UTF-16', bytes: [0xfe, 0xff], command: 'iconv -f UTF-16 -t UTF-8' },
];

/** The contents, in the order in which they are tried. */
export const foreignContents: readonly ForeignContent[] = [
  ...compressed,
  ...archives,
  ...encrypted,
  ...tables,
  ...otherContents,
  ...encodings,
];
