// Records of WARC for tests, byte by byte, and documents of them that are broken in all ways.

import fc from 'fast-check';

export interface WarcParts {
  /** The fields of the header, besides the length. */
  fields?: Readonly<Record<string, string>>;
  block?: string;
  version?: string;
  lineEnd?: string;
  /** The length in the header, if it is not that of the block; undefined for none. */
  length?: string | undefined;
}

/** A record as a text with one character per byte. */
export function warcRecord(parts: WarcParts = {}): string {
  const { fields = {}, block = '', version = 'WARC/1.0', lineEnd = '\r\n' } = parts;
  const length = 'length' in parts ? parts.length : String(block.length);
  const all = { ...fields, ...(length === undefined ? {} : { 'Content-Length': length }) };
  const lines = [version, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', ''];
  return `${lines.join(lineEnd)}${block}\r\n\r\n`;
}

/** A message of HTTP. */
export function httpResponse(body: string, date = 'Fri, 27 Nov 2026 09:00:00 GMT'): string {
  return `HTTP/1.1 200 OK\r\nDate: ${date}\r\nContent-Type: text/html\r\n\r\n${body}`;
}

/** A page of a crawl. */
export function responseRecord(url: string, body: string, id = url, date?: string): string {
  return warcRecord({
    fields: {
      'WARC-Type': 'response',
      'WARC-Record-ID': `<urn:uuid:${id}>`,
      'WARC-Target-URI': url,
      'WARC-Date': '2026-11-27T09:00:00Z',
      'Content-Type': 'application/http; msgtype=response',
    },
    block: httpResponse(body, date),
  });
}

/** The text of a page, as WET files have it. */
export function conversionRecord(url: string, text: string, id = url): string {
  return warcRecord({
    fields: {
      'WARC-Type': 'conversion',
      'WARC-Record-ID': `<urn:uuid:${id}>`,
      'WARC-Target-URI': url,
      'WARC-Date': '2026-11-27T09:00:00Z',
      'Content-Type': 'text/plain',
    },
    block: text,
  });
}

/** What a file begins with. */
export function infoRecord(): string {
  return warcRecord({
    fields: {
      'WARC-Type': 'warcinfo',
      'WARC-Record-ID': '<urn:uuid:info>',
      'WARC-Date': '2026-11-27T09:00:00Z',
      'Content-Type': 'application/warc-fields',
    },
    block: 'software: tests\r\nformat: WARC File Format 1.0\r\n',
  });
}

const warcLine = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n');
const warcField = fc.constantFrom(
  ...['WARC-Type: response', 'warc-type:conversion', 'WARC-Type: request', 'WARC-Type :\tResponse '],
  ...[
    'WARC-Target-URI: http://a.example/',
    'WARC-Target-URI:<http://a.example/>',
    'warc-TARGET-uri:',
    'X: a\r\n b\n\t\n c',
  ],
  ...[
    'X:\r\n 1',
    'Content-Type: application/http; msgtype=response',
    'content-type: text/plain',
    'no colon',
    ' folded',
    'X:\xff\r',
  ],
);
const warcBlock = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '\xff',
      '\r\n',
      '\n',
      '\r\n\r\n',
      'HTTP/1.1 200 OK\r\nA: b\r\n\r\n',
      'WARC/1.0\r\n',
      '\n\nWARC/1.',
      'x'.repeat(30),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));
/** A record that is mostly valid. */
const warcPiece = fc
  .tuple(fc.array(warcField, { maxLength: 5 }), warcBlock, warcLine, fc.nat({ max: 60 }))
  .chain(([fields, block, line, chance]) => {
    const length =
      [`${block.length + 1}`, `${Math.max(0, block.length - 1)}`, '99', '-1', '', '5000', '9'.repeat(19)][chance] ??
      `${block.length}`;
    const given = chance === 7 ? [] : [`Content-Length${chance === 8 ? ':\r\n 00' : ': '}${length}`];
    const lines = [chance === 9 ? 'WARC/1.x' : `WARC/1.${chance % 2}`, ...fields, ...given, '', ''];
    const end =
      { 10: '', 11: '\r\n', 12: '\n\n', 13: '\r\n\r\n\r\n', 14: '\n\r\n\r', 15: 'junk\r\n\r\n' }[chance] ?? '\r\n\r\n';
    return fc.constant(`${lines.join(line)}${block}${end}`);
  });
/** Some records, cut or with bytes left out. */
export const warcDocument = fc
  .tuple(fc.array(warcPiece, { maxLength: 5 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat({ max: 3 }))
  .map(([records, where, kind]) => {
    const text = records.join('');
    const at = Math.floor(where * text.length);
    if (kind === 1) return text.slice(0, at);
    return kind === 2 ? `${text.slice(0, at)}${text.slice(at + 3)}` : text;
  });
