// What `firstseen kafka` refuses before it reaches a broker.

import { expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const needed = ['--brokers', 'localhost:1', '--input', 'in', '--output', 'out', '--group', 'g', '--state', 'state'];

/** What is needed, with another value of a flag. */
function neededWith(flag: string, value: string): string[] {
  const at = needed.indexOf(flag);
  return at === -1 ? [...needed, flag, value] : needed.toSpliced(at + 1, 1, value);
}

async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = temporaryFolder()) {
  const { code, stdout, stderr } = await runCommand(['kafka', ...args], { cwd, env });
  expect(stdout.toString()).toBe('');
  return [code, stderr];
}

test.each([
  [[], /--brokers is missing; give --brokers: addresses of brokers/],
  [needed.slice(0, 4), /--output is missing/],
  [neededWith('--brokers', 'a:1,'), /--brokers is "a:1,", with an empty address; give addresses such as host:9092/],
  [neededWith('--brokers', ''), /--brokers is "", without a text; give --brokers: addresses/],
  [neededWith('--brokers', 'a:1,b:99999'), /--brokers is "a:1,b:99999", whose port 99999 is not from 1 to 65535; give/],
  ...['a:b', 'a:', 'PLAINTEXT://a:b', '[::1]:b'].map(
    (address) =>
      [neededWith('--brokers', address), /whose port "b?" is not a number; give addresses such as host:9092/] as const,
  ),
  [[...needed, '--duplicates-to', 'in'], /--input and --duplicates-to are both the topic in/],
  [[...needed, '--repartition', 'out'], /--repartition and --output are both the topic out/],
  [[...needed, '--repartition', 'in'], /--repartition and --input are both the topic in/],
  [[...needed, '-f', 'u64'], /--format is u64, which requires --batches; give --batches/],
  [
    [...needed, '--batches'],
    /the records of a message may have many keys with --batches, but a message is in one partition; give --repartition and a topic, or --partitioned/,
  ],
  [[...needed, '--batches', '--key-from', 'key'], /--batches reads values, but --key-from is key/],
  [neededWith('--group', '../g'), /--group is "..\/g", but must be a name/],
  [neededWith('--group', 'g'.repeat(201)), /--group has 201 characters, but may have 200; give letters.*200 at most/],
  [[...needed, '--from-group', 'g'], /--group and --from-group are both g; give a new --group/],
  [[...needed, '--from-pointers', 'p'], /--from-pointers requires --from-group; give --from-group/],
  [[...needed, '--allow-missing'], /--allow-missing requires --from-group; give --from-group/],
  [[...needed, '--keyed', '--seed', '3'], /--seed has no effect together with --keyed; leave one of them out/],
  [
    neededWith('--group', 'g-repartition'),
    /--group is g-repartition, but a worker of the group g with --repartition has this name for its first half; give a name/,
  ],
  [[...needed, '--from-group', '../h'], /--from-group is "..\/h", but must be a name/],
  [neededWith('--state', ''), /--state is "", without a text; give --state: folder of the snapshots/],
  ...[
    '--input',
    '--output',
    '--group',
    '--pointers',
    '--repartition',
    '--duplicates-to',
    '--from-group',
    '--instance',
    '--tls-ca',
  ].map((flag) => [neededWith(flag, ''), new RegExp(`${flag} is "", without a text; give ${flag}: `)] as const),
  [[...needed, '-f', 'ndjson'], /--format is ndjson, but --key is missing/],
  [[...needed, '-f', 'lines', '-k', 'id'], /--format is lines, but --key is given/],
  [[...needed, '--key-from', 'somewhere'], /--key-from is somewhere, but must be value, key or header:NAME/],
  [[...needed, '-k', 'a..b'], /a..b/],
  [[...needed, '--config', 'isolation.level=read_uncommitted'], /--config sets isolation.level/],
  [[...needed, '--config', 'topic.blacklist=f1'], /--config sets topic.blacklist/],
  [[...needed, '--config', 'sasl.password=p'], /give --sasl-password-file for it/],
  [[...needed, '--snapshot-every', '0'], /--snapshot-every is 0, but must be a whole number from 1 to/],
  [[...needed, '--http-port', '99999'], /--http-port is 99999; give a port from 0 to 65535/],
  [[...needed, '--sasl-user', 'u'], /--sasl-user requires --sasl-password-file/],
  [[...needed, '--tls-cert', 'c'], /--tls-cert requires --tls-key/],
  [[...needed, '--window', '1d', '--algorithm', 'bloom'], /bloom/],
  [[...needed, '--window', '1000', '--max-lead', '5m'], /--max-lead needs a window that is a duration; give --window/],
  [[...needed, '--reset-clock'], /--reset-clock needs a window that is a duration; give --window as a duration/],
  [[...needed, '--memory', '1KiB', '--window', '1000000'], /--memory|memory/],
] as const)('refuses %j', async (args, problem) => {
  expect(await refusal(args)).toEqual([2, expect.stringMatching(problem)]);
});

test('takes variables, and refuses those that are no options', async () => {
  const [code, text] = await refusal([], { FIRSTSEEN_BROKERS: 'b:1', FIRSTSEEN_INPUT: 'in' });
  expect([code, text]).toEqual([2, expect.stringMatching(/--output is missing/)]);
  const [, unknown] = await refusal(needed, { FIRSTSEEN_SNAPSHOTS_EVERY: '3' });
  expect(unknown).toMatch(/the variable FIRSTSEEN_SNAPSHOTS_EVERY is not an option of this command/);
});

test('a password is not shown', async () => {
  const [, text] = await refusal([...needed, '--sasl-user', 'u', '--sasl-password-file', 'none'], {
    FIRSTSEEN_SASL_PASSWORD: 'secret-0123',
  });
  expect(text).not.toContain('secret-0123');
});
