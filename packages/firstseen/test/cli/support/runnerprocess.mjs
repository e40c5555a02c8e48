// A process that runs the built command again and again, for tests: see runner.ts. A message has the arguments, the working folder, the
// pieces of standard input and variables; the answer has what the command wrote, and its exit code.

import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';

const require = createRequire(import.meta.url);
/** The bundle of the command has its module as one of its members. */
const { runCommandLine } = Object.values(require('../../../dist/chunks/command.cjs')).find(
  (member) => member.runCommandLine,
);

function collecting() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      // The command writes to the same memory again.
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}

async function run({ args, cwd, stdin, env }) {
  const [output, error] = [collecting(), collecting()];
  const input = Readable.from(stdin, { objectMode: false });
  const before = { ...process.env };
  process.chdir(cwd);
  process.env = { ...before, ...env };
  try {
    const code = await runCommandLine(args, { input, output: output.stream, error: error.stream });
    return { code, stdout: output.bytes(), stderr: error.bytes().toString() };
  } finally {
    process.env = before;
  }
}

/** The end of the last run. The working folder is that of the process, so runs follow one another. */
let last = Promise.resolve();

process.on('message', ({ id, ...request }) => {
  last = last
    .then(() => run(request))
    .then(
      (result) => process.send({ id, result }),
      (thrown) => process.send({ id, problem: thrown?.stack ?? String(thrown) }),
    );
});
process.on('disconnect', () => process.exit(0));
