// Requests that pages of other sites make a browser send. A server that everybody of this machine may use must not do what such a page says.

import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../../base/loopback.js';
import { HttpProblem } from './problem.js';

/** The host in a header, without its port. */
function hostIn(header: string): string {
  return header.replace(/:\d*$/, '');
}

/** A name that belongs to a stranger can lead to this machine. An address, or the name of this machine, cannot. */
function isOwnHost(header: string | undefined): boolean {
  if (header === undefined) return true;
  const host = hostIn(header);
  return isLoopback(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0;
}

function isOwnOrigin({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site === 'cross-site' || site === 'same-site') return false;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * @param isOpen whether everybody who reaches the server may use it
 * @throws HttpProblem E_ORIGIN for a request that a page of another site has caused
 */
export function checkOrigin(headers: IncomingHttpHeaders, isOpen: boolean): void {
  if (isOpen && !isOwnHost(headers.host)) {
    throw new HttpProblem(
      'E_ORIGIN',
      `the host ${headers.host} is not of this machine; use the address that the server printed`,
    );
  }
  if (isOwnOrigin(headers)) return;
  throw new HttpProblem('E_ORIGIN', 'the request comes from a page of another site; send it from a program');
}
