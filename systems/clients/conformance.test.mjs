// The server answers as Redis with RedisBloom, and as Valkey, byte for byte, but where a reason is given.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VERSIONS } from './conformance/compare.mjs';
import { compared, isReported } from './conformance/report.mjs';
import { fetchRedisBloom, fetchValkey } from './support/fetch.mjs';
import { startRedis } from './support/servers.mjs';

/** What is wrong with a difference: it has no reason, or a reason and no difference. */
function problemOf({ script, step, reply, other }) {
  if (step.why !== undefined && reply !== other) return [];
  const name = step.why === undefined ? 'differs without a reason' : `does not differ, but has the reason ${step.why}`;
  return [`${script}, ${JSON.stringify(step.command ?? step.raw)} ${name}: ${JSON.stringify({ reply, other })}`];
}

for (const [name, { path, module, missing }] of [
  ['redis', fetchRedisBloom()],
  ['valkey', fetchValkey()],
]) {
  describe(`replies beside those of ${name}`, () => {
    for (const version of VERSIONS) {
      test(`version ${version} of the protocol`, { skip: missing ?? false }, async () => {
        const differences = await compared(name, () => startRedis(path, { module }), version);
        assert.deepEqual(differences.flatMap(problemOf), []);
        if (name === 'redis' && version === 2) {
          assert.ok(isReported(differences), 'docs/SERVER.md has another table: npm run test:clients -- --report');
        }
      });
    }
  });
}
