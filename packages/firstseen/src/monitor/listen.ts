// A port on which a service listens.

import type { Server } from 'node:net';
import { FirstseenError, optionName, phrase } from '../base/errors.js';

/** An address that a service is to have. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
  /** The option that has the port. */
  readonly option: 'port' | 'httpPort';
  /** The words for the service in an error. */
  readonly service: 'the server' | 'the worker';
}

/** The error for an address that the service cannot have. */
function listenError(cause: NodeJS.ErrnoException, { host, port, option, service }: ServiceAddress): FirstseenError {
  const [hostName, portName] = [optionName('host'), optionName(option)];
  const remedy =
    cause.code === 'EADDRINUSE'
      ? phrase`stop what listens there, or give another ${portName}`
      : phrase`give another ${hostName} or ${portName}`;
  const problem = `${service} cannot listen on ${host}:${port}: ${cause.message}`;
  return new FirstseenError('E_USAGE', problem, { remedy, cause });
}

/** Begins to listen. @returns the port @throws FirstseenError E_USAGE when the address cannot be had */
export function listen(server: Server, address: ServiceAddress): Promise<number> {
  const { host, port } = address;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, address)));
    server.listen({ host, port, backlog: 511 }, () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
