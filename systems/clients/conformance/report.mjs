// The differences to Redis with RedisBloom as a table of docs/SERVER.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceBetween } from '../../../tools/markers.mjs';
import { repository } from '../../../tools/support/paths.mjs';
import { fetchRedisBloom } from '../support/fetch.mjs';
import { startFirstseen, startRedis } from '../support/servers.mjs';
import { differencesOf, sendAll } from './compare.mjs';
import { creations, mapped, maps } from './mapped.mjs';
import { reasons } from './reasons.mjs';
import { scripts } from './scripts.mjs';

const page = join(repository, 'docs/SERVER.md');
const SHOWN_CHARACTERS = 60;

/** Runs scripts against a new server and another one, and those on keys of maps against a server that has maps. */
export async function compared(name, startOther, version) {
  const servers = await Promise.all([startFirstseen(), startFirstseen({ maps }), startOther()]);
  const [own, ownWithMaps, other] = servers;
  try {
    const differences = await differencesOf(scripts[name], own.port, other.port, version);
    await sendAll(ownWithMaps.port, creations);
    return [...differences, ...(await differencesOf(mapped, ownWithMaps.port, other.port, version))];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function shown(text) {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('|', '\\|');
  return `\`${line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line}\``;
}

/** A row for each step whose replies differ in version 2. */
export function tableOf(differences) {
  const rows = differences.map(({ step: { command, raw, why }, reply, other }) =>
    [shown(command ?? raw), shown(other), shown(reply), reasons[why]].join(' | '),
  );
  return [
    '| command | Redis with RedisBloom | firstseen | why |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

/** Writes the table. */
export async function writeReport() {
  const { path, module, missing } = fetchRedisBloom();
  if (missing) throw new Error(missing);
  const differences = await compared('redis', () => startRedis(path, { module }), 2);
  writeFileSync(page, replaceBetween(readFileSync(page, 'utf8'), 'differences', tableOf(differences)));
}

/** Whether docs/SERVER.md has the table of these differences. */
export function isReported(differences) {
  return readFileSync(page, 'utf8').includes(tableOf(differences));
}
