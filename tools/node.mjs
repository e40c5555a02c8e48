// Runs a command with another version of Node, which npm fetches once: `node tools/node.mjs 24 npm test`.

import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fetchPackage, NODE_VERSIONS, nodePackage } from './fetch.mjs';

const [asked, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error(`usage: node tools/node.mjs ${Object.keys(NODE_VERSIONS).join('|')}|VERSION COMMAND...`);
  process.exit(2);
}
const { path, missing } = fetchPackage(nodePackage(NODE_VERSIONS[asked] ?? asked));
if (missing) {
  console.error(missing);
  process.exit(1);
}
const folder = dirname(path);
const env = {
  ...process.env,
  PATH: `${folder}${delimiter}${process.env.PATH}`,
  // The headers with which packages are compiled.
  npm_config_nodedir: dirname(folder),
};
const { status } = spawnSync(command, args, { env, stdio: 'inherit' });
process.exitCode = status ?? 1;
