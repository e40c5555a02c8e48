// A port that a command listens on.

import { FirstseenError } from '../base/errors.js';

export const MAX_PORT = 65_535;

/** @throws FirstseenError E_USAGE unless the number is a port. */
export function checkPort(port: number, origin: string): void {
  if (Number.isInteger(port) && port >= 0 && port <= MAX_PORT) return;
  throw new FirstseenError('E_USAGE', `${origin} is ${port}`, { remedy: `give a port from 0 to ${MAX_PORT}` });
}
