// Text as bytes. UTF-8 has no bytes for a lone surrogate, and an encoder writes U+FFFD for each, which would make different keys
// equal. Here a lone surrogate is the three bytes of its value, as in the kernel, which decodes escapes of JSON.

const encoder = new TextEncoder();

/** Half of a surrogate pair without the other half. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** The most arguments of a call that every engine takes. */
const MAX_ARGUMENTS = 8192;
const LONE_SURROGATES = /(\p{Surrogate})/u;

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

function surrogateBytes(surrogate: string): Uint8Array {
  const code = surrogate.charCodeAt(0);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The bytes of a text. */
export function encodeText(text: string): Uint8Array {
  if (!hasLoneSurrogate(text)) return encoder.encode(text);
  // The parts at odd indices are what the pattern captured.
  const parts = text.split(LONE_SURROGATES);
  return joinBytes(parts.map((part, i) => (i % 2 === 1 ? surrogateBytes(part) : encoder.encode(part))));
}

/** A string with one character for each byte. */
export function byteString(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS));
  }
  return text;
}

/** The inverse of `byteString`. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(byteString(bytes));
}

/** @throws DOMException when the text is not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return bytesOf(atob(text));
}
