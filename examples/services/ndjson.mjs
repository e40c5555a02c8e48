// Collects NDJSON over HTTP. The file of events has each event once, also if clients repeat a request and the program is killed:
// the note of the state is the length of the file that belongs to it. Run it with `node examples/services/ndjson.mjs FOLDER PORT`.

import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { keyOf } from 'firstseen';
import { openState } from 'firstseen/node';

const [folder = '.', port = 3000] = process.argv.slice(2);
const state = await openState(`${folder}/events.state`, { memory: '1MiB', keys: ['id'] });
const output = await open(`${folder}/events.ndjson`, 'a');
// Events that were written after the last state are removed. Their request has no answer, so the client sends it again.
await output.truncate(Number(new TextDecoder().decode(state.note)));

async function append(records) {
  const fresh = records.filter(({ key }) => !key || state.detector.observe(key) === 'distinct');
  await output.appendFile(fresh.map(({ line }) => `${line}\n`).join(''));
  await output.datasync();
  const { size } = await output.stat();
  await state.save(Buffer.from(String(size)));
  return fresh.length;
}

let turn = Promise.resolve(0);
const server = createServer(async (request, response) => {
  try {
    const lines = (await text(request)).split('\n').filter((line) => line !== '');
    // An invalid line refuses the whole request, before any event is marked as seen. An event with an empty id is new.
    const records = lines.map((line) => ({ line, key: keyOf(['id'], line) }));
    // So does an id above 1 MiB, which only the detector refuses.
    for (const { key } of records) if (key) state.detector.fingerprint(key);
    // One request at a time, so that a state has all of a request or nothing. If it fails, the program ends: the file is right.
    turn = turn.then(() => append(records)).catch((error) => process.exit(console.error(error) ?? 1));
    response.end(`${await turn} of ${records.length} events are new\n`);
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`);
  }
});
server.listen(port, () => console.log(`listening on ${server.address().port}`));
