// Who may speak to the server: its address, the tokens of clients, and certificates.

import { FirstseenError } from '../../base/errors.js';
import { isLoopback } from '../../base/loopback.js';
import { readNamedFile } from '../../io/system/namedfile.js';
import { shownPath } from '../../io/system/paths.js';
import type { OptionRow } from '../../options/row.js';
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

/** The tokens of a text, one a line. Errors do not show them. */
function tokensIn(text: string, origin: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const given = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isToken = ({ length }: string) => length >= MIN_TOKEN_CHARACTERS && length <= MAX_TOKEN_CHARACTERS;
  const wrong = lines.findIndex((line) => given.includes(line) && !(isToken(line) && tokenForm.test(line)));
  if (given.length > 0 && wrong === -1) return given;
  const problem = wrong === -1 ? `${origin} has no token` : `line ${wrong + 1} of ${origin} is not a token`;
  throw new FirstseenError('E_USAGE', problem, {
    expected: `a token a line, of ${MIN_TOKEN_CHARACTERS} to ${MAX_TOKEN_CHARACTERS} letters, digits and ._~+/-`,
    remedy: `give a token a line, of at least ${MIN_TOKEN_CHARACTERS} letters, digits and ._~+/-; make one with: openssl rand -hex 32`,
  });
}

async function tokensOf(row: OptionRow, settings: Settings, onWarning: OnWarning): Promise<string[]> {
  const given = settings.values[row.name] as string | { secret: string } | undefined;
  if (given === undefined) return [];
  const origin = settings.originOf(row);
  if (typeof given === 'object') return tokensIn(given.secret, origin);
  return tokensIn((await readNamedFile(given, origin, onWarning)).toString(), shownPath(given));
}

/** @throws FirstseenError E_USAGE for a token of two roles: nobody could say which one it gives. */
function checkDifferent(tokens: readonly Token[]): void {
  const roleOf = new Map<string, string>();
  for (const { role, token } of tokens) {
    const other = roleOf.get(token) ?? role;
    if (other !== role) {
      throw new FirstseenError('E_USAGE', `the roles ${other} and ${role} have a token in common`, {
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

/** @throws FirstseenError E_USAGE for an option of certificates without another one. */
function checkNeeded(settings: Settings, row: OptionRow, needed: OptionRow): void {
  const { values } = settings;
  if (values[row.name] === undefined || values[needed.name] !== undefined) return;
  const [given, missing] = [row, needed].map((one) => settings.originOf(one));
  throw new FirstseenError('E_USAGE', `${given} requires ${missing}`, {
    remedy: `give ${missing}, or leave ${given} out`,
  });
}

/** @throws FirstseenError E_INPUT for files that cannot be used, E_USAGE for one without the others */
export async function readCertificates(settings: Settings, onWarning: OnWarning): Promise<Certificates | undefined> {
  const { tlsCert, tlsKey, tlsCa } = rows;
  for (const [row, needed] of [
    [tlsCert, tlsKey],
    [tlsKey, tlsCert],
    [tlsCa, tlsCert],
  ] as const) {
    checkNeeded(settings, row, needed);
  }
  const fileOf = async (row: OptionRow, warn?: OnWarning) =>
    readNamedFile(settings.values[row.name] as string, settings.originOf(row), warn);
  if (settings.values[tlsCert.name] === undefined) return undefined;
  const asksClients = settings.values[tlsCa.name] !== undefined;
  const certificates = {
    cert: await fileOf(tlsCert),
    key: await fileOf(tlsKey, onWarning),
    ca: asksClients ? await fileOf(tlsCa) : undefined,
  };
  checkCertificates(certificates);
  return certificates;
}

/**
 * Reads the tokens and the certificates.
 * @throws FirstseenError E_INPUT for a file that cannot be read, E_USAGE for a line that cannot be a token.
 */
export async function readSecurity(settings: Settings, onWarning: OnWarning): Promise<Security> {
  return {
    tokens: await readTokens(settings, onWarning),
    certificates: await readCertificates(settings, onWarning),
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
