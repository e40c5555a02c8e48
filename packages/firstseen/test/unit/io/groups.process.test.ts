// Groups with their members, which another process asks for: the client crashes where brokers answer with an error of the group.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describedGroup, describeInProcess } from '../../../src/io/kafka/groups.js';
import { temporaryFolder } from '../../cli/support/command.js';

/** A program that reads a question, and then does what a test says. */
function programThat(does: string): string {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    file,
    `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    process.stdin.once('data', (line) => { const task = JSON.parse(line); ${does} });`,
  );
  return file;
}

const answers = (answer: unknown) =>
  `process.stdout.write(${JSON.stringify(JSON.stringify(answer))}, () => process.exit(0));`;
const crash = `process.kill(process.pid, 'SIGSEGV');`;

function describedBy(program: string, signal?: AbortSignal) {
  return describedGroup({
    describe: (task, stop) => describeInProcess(task, stop, program),
    ...{ properties: { 'sasl.password': 'secret' }, group: 'group', timeoutMilliseconds: 1000, signal },
  });
}

const group = { state: 3, members: [{ groupInstanceId: 'one' }] };

it('asks again where the client crashes on the answer of brokers that are not ready', async () => {
  const told = join(temporaryFolder(), 'crashed');
  const crashesOnce = `if (!existsSync(${JSON.stringify(told)})) { writeFileSync(${JSON.stringify(told)}, ''); ${crash} }
    else { ${answers({ group })} }`;
  expect(await describedBy(programThat(crashesOnce))).toEqual(group);
});

it('gives the task on the standard input, and not as an argument', async () => {
  const shows = `const names = [...process.argv.slice(2), task.group, task.properties['sasl.password']];
    process.stdout.write(JSON.stringify({ group: { members: names.map((groupInstanceId) => ({ groupInstanceId })) } }), () => process.exit(0));`;
  const { members } = await describedBy(programThat(shows));
  expect(members.map(({ groupInstanceId }) => groupInstanceId)).toEqual(['group', 'secret']);
});

it('has no members where the brokers do not know the group, and refuses what they refuse', async () => {
  const error = (code: number) => answers({ error: { code, message: `error ${code}` } });
  expect(await describedBy(programThat(error(69)))).toEqual({ members: [] });
  await expect(describedBy(programThat(error(30)))).rejects.toThrow(/error 30; allow the user READ on the group$/);
});

it('ends the program when the worker is asked to stop', async () => {
  const stop = new AbortController();
  const waiting = describedBy(programThat('setTimeout(() => undefined, 60_000);'), stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow('the worker was asked to stop');
});
