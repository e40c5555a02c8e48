// The programs of examples/clients pass each line once, also between two runs.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { has } from '../tools/fetch.mjs';
import { fetchRedisPy } from './support/fetch.mjs';
import { repository, startFirstseen } from './support/servers.mjs';

const folder = join(repository, 'examples/clients');
const python = fetchRedisPy();
const missingCli = has('redis-cli', '--version') ? undefined : 'redis-cli is not installed';

const examples = {
  Python: { missing: python.missing, command: [python.python, join(folder, 'observe.py')] },
  shell: { missing: missingCli, command: ['sh', join(folder, 'observe.sh')] },
};

describe('the examples of clients', () => {
  let server;
  before(async () => {
    server = await startFirstseen();
  });
  after(() => server.stop());

  for (const [name, { missing, command }] of Object.entries(examples)) {
    test(name, { skip: missing ?? false }, () => {
      const passed = (input) => {
        const [program, ...args] = command;
        const env = { ...process.env, FIRSTSEEN_PORT: String(server.port) };
        const { status, stdout, stderr } = spawnSync(program, args, { input, env, encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        return stdout;
      };
      assert.equal(passed(`${name}\nb ${name}\n${name}\n`), `${name}\nb ${name}\n`);
      assert.equal(passed(`b ${name}\nc ${name}\n`), `c ${name}\n`);
    });
  }
});
