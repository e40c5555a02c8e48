// Tokens of clients, and the roles that they give.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Role } from '../session.js';

export interface Token {
  role: Role;
  token: string;
}

/** The user of a client that gives a token only. It has the role of any token; the others are roles. */
const ANY_USER = 'default';

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Tokens that can be replaced while the server runs. */
export class Tokens {
  #tokens: readonly { role: Role; digest: Buffer }[] = [];

  constructor(tokens: readonly Token[]) {
    this.replace(tokens);
  }

  replace(tokens: readonly Token[]): void {
    this.#tokens = tokens.map(({ role, token }) => ({ role, digest: digestOf(token) }));
  }

  /** The role that a token gives. All tokens are compared, each in the same time whatever it is. */
  authenticate(user: string, token: string): Role | undefined {
    const tokenDigest = digestOf(token);
    const matching = this.#tokens.filter(({ digest }) => timingSafeEqual(digest, tokenDigest));
    return matching.find(({ role }) => user === ANY_USER || user === role)?.role;
  }
}
