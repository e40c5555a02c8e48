// Addresses that only programs of this machine reach.

/** Tells if a host is the loopback interface. An address of version 6 may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|::1|\[::1\]|localhost)$/i.test(host);
}
