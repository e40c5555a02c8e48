// Who may speak to the server: its address, the tokens of clients, and certificates.

import { FirstseenError } from '../../base/errors.js';
import { isLoopback } from '../../base/loopback.js';
import { readNamedFile } from '../../io/system/namedfile.js';
import { shownPath } from '../../io/system/paths.js';
import type { OptionRule } from '../../options/rules.js';
import * as rows from '../../options/serve.js';
import type { Settings } from '../../options/settings.js';
import { type Certificates, checkCertificates } from '../../serve/security/tls.js';
import type { Token } from '../../serve/security/tokens.js';

/** The characters of tokens: what a header of HTTP takes after Bearer. */
const tokenForm = /^[A-Za-z0-9._~+/-]+=*$/;
const MIN_TOKEN_CHARACTERS = 16;
const MAX_TOKEN_CHARACTERS = 1024;

export interface Security {
  tokens: readonly Token[];
  certificates: Certificates | undefined;
}

type OnWarning = (message: string) => void;
type TokenRow = (typeof rows.tokenRows)[number];
type TlsRow = (typeof rows.tlsRows)[number];

/** The tokens of a text, one a line. Errors do not show them. */
function tokensIn(text: string, origin: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const tokenLines = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isToken = ({ length }: string) => length >= MIN_TOKEN_CHARACTERS && length <= MAX_TOKEN_CHARACTERS;
  const wrong = lines.findIndex((line) => tokenLines.includes(line) && !(isToken(line) && tokenForm.test(line)));
  if (tokenLines.length > 0 && wrong === -1) return tokenLines;
  const problem = wrong === -1 ? `${origin} has no token` : `line ${wrong + 1} of ${origin} is not a token`;
  throw new FirstseenError('E_USAGE', problem, {
    expected: `a token a line, of ${MIN_TOKEN_CHARACTERS} to ${MAX_TOKEN_CHARACTERS} letters, digits and ._~+/-`,
    remedy: `give a token a line, of at least ${MIN_TOKEN_CHARACTERS} letters, digits and ._~+/-; make one with: openssl rand -hex 32`,
  });
}

async function tokensOf(row: TokenRow, settings: Settings, onWarning: OnWarning): Promise<string[]> {
  const given = settings.givenOf(row);
  if (given === undefined) return [];
  const origin = settings.originOf(row);
  if (typeof given === 'object') return tokensIn(given.secret, origin);
  return tokensIn((await readNamedFile(given, origin, onWarning)).toString(), shownPath(given));
}

/** @throws FirstseenError E_USAGE for a token of two roles: nobody could say which one it gives. */
function checkDifferent(tokens: readonly Token[]): void {
  const roleOf = new Map<string, string>();
  for (const { role, token } of tokens) {
    const otherRole = roleOf.get(token) ?? role;
    if (otherRole !== role) {
      throw new FirstseenError('E_USAGE', `the roles ${otherRole} and ${role} have a token in common`, {
        remedy: 'give each role tokens of its own',
      });
    }
    roleOf.set(token, role);
  }
}

async function readTokens(settings: Settings, onWarning: OnWarning): Promise<Token[]> {
  const lists = await Promise.all(
    rows.tokenRows.map(async (row) =>
      (await tokensOf(row, settings, onWarning)).map((token) => ({ role: row.role, token })),
    ),
  );
  const tokens = lists.flat();
  checkDifferent(tokens);
  return tokens;
}

/** The options of certificates that are of no use without another one. */
const rules: readonly OptionRule<TlsRow['name']>[] = [
  { options: ['tlsCert'], requires: ['tlsKey'] },
  { options: ['tlsKey', 'tlsCa'], requires: ['tlsCert'] },
];

/** @throws FirstseenError E_INPUT for files that cannot be used, E_USAGE for one without the others */
export async function readCertificates(settings: Settings, onWarning: OnWarning): Promise<Certificates | undefined> {
  const { tlsCert, tlsKey, tlsCa } = rows;
  settings.check(rows.tlsRows, rules);
  const fileOf = async (row: TlsRow, warn?: OnWarning) =>
    readNamedFile(settings.givenOf(row) as string, settings.originOf(row), warn);
  if (settings.givenOf(tlsCert) === undefined) return undefined;
  const asksClients = settings.givenOf(tlsCa) !== undefined;
  const certificates = {
    cert: await fileOf(tlsCert),
    key: await fileOf(tlsKey, onWarning),
    ca: asksClients ? await fileOf(tlsCa) : undefined,
  };
  checkCertificates(certificates);
  return certificates;
}

/** Passes each message on once: several options may name one file. */
function onceEach(onWarning: OnWarning): OnWarning {
  const messages = new Set<string>();
  return (message) => {
    if (!messages.has(message)) onWarning(message);
    messages.add(message);
  };
}

/**
 * Reads the tokens and the certificates.
 * @throws FirstseenError E_INPUT for a file that cannot be read, E_USAGE for a line that cannot be a token.
 */
export async function readSecurity(settings: Settings, onWarning: OnWarning): Promise<Security> {
  const warnOnce = onceEach(onWarning);
  return {
    tokens: await readTokens(settings, warnOnce),
    certificates: await readCertificates(settings, warnOnce),
  };
}

/** @throws FirstseenError E_USAGE for an address that others reach, if anybody could then change the detectors. */
export function checkReach(host: string, settings: Settings, { tokens, certificates }: Security): void {
  if (isLoopback(host) || tokens.length > 0 || certificates?.ca) return;
  const problem = `${settings.originOf(rows.host)} ${host} can be reached from other machines, and clients are not authenticated`;
  const [token, ca] = [rows.tokenAdminFile, rows.tlsCa].map((row) => settings.originOf(row));
  throw new FirstseenError('E_USAGE', problem, {
    remedy: `give ${token}, or ${ca} for certificates of clients, or the address 127.0.0.1`,
  });
}
