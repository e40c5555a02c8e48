// Other protocols on the port for clients of Redis. A machine may speak one by accident, and a page in a browser can post a body that has
// commands, so that nothing after the first sign of one is run.

const [TAB, CR, SYNCHRONOUS_IDLE, SPACE, DELETE] = [9, 13, 22, 32, 127];
/** A request line of HTTP ends with the version, also in small letters, and so do those of protocols like it, which have names in capitals. */
const VERSION = /\s(?:(HTTP|RTSP|SIP|ICAP)\/\d+(?:\.\d+)?|([A-Z]{3,10})\/\d+\.\d+)\s*$/i;
const CAPITALS = /^[A-Z]+$/;
/** The end of a line that is searched for a version. */
const VERSION_BYTES = 24;
/** A line of memcached with flags, a time and a number of bytes. The bytes follow, and may be commands. */
const STORAGE = /^\s*(?:set|add|replace|append|prepend|cas)\s+\S+\s+\d+\s+-?\d+\s+\d+(?:\s+\d+)?(?:\s+noreply)?\s*$/i;
/** Lines of memcached are not longer. */
const MAX_STORAGE_BYTES = 400;

/** Tells if a line that a person types, or a text protocol, never has this byte. */
export function isBinary(byte: number): boolean {
  return (byte < SPACE && (byte < TAB || byte > CR)) || byte === DELETE;
}

/** The protocol that sends bytes of which one is binary. A record of TLS begins with the number of a handshake. */
export function binaryProtocol(firstByte: number): string {
  return firstByte === SYNCHRONOUS_IDLE ? 'TLS' : 'a binary protocol';
}

/** The protocol whose request a whole line is, without its line end; undefined if it is none. */
export function lineProtocol(bytes: Buffer, start: number, end: number): string | undefined {
  const [, protocol, other = ''] =
    VERSION.exec(bytes.toString('latin1', Math.max(start, end - VERSION_BYTES), end)) ?? [];
  if (protocol !== undefined) return protocol.toUpperCase();
  if (CAPITALS.test(other)) return other;
  if (end - start > MAX_STORAGE_BYTES) return undefined;
  return STORAGE.test(bytes.toString('latin1', start, end)) ? 'memcached' : undefined;
}
