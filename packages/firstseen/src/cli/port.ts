// A port that a command listens on.

import { FirstseenError } from '../base/errors.js';

export const MOST_PORT = 65_535;

/** @throws FirstseenError E_USAGE unless the number is a port. */
export function checkPort(port: number, origin: string): void {
  if (Number.isInteger(port) && port >= 0 && port <= MOST_PORT) return;
  throw new FirstseenError('E_USAGE', `${origin} is ${port}`, { remedy: `give a port from 0 to ${MOST_PORT}` });
}
