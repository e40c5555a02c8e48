// A consumer of Amazon SQS, which delivers each message at least once. A message is deleted when the state has its order.
// Run it with `node examples/services/sqs.mjs FOLDER QUEUE_URL`.

import { appendFile } from 'node:fs/promises';
import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createClaims } from 'firstseen';
import { openState } from 'firstseen/node';

const [folder = '.', QueueUrl] = process.argv.slice(2);
const state = await openState(`${folder}/orders.state`, { algorithm: 'exact', window: '14d', memory: '4MiB' });
// A claim ends when its message is settled. After a crash no key is held.
const claims = createClaims(state.detector, { lease: Number.POSITIVE_INFINITY });

/** Ships the order of a message. Returns whether it is done; if not, SQS delivers it again, or moves it to the dead-letter queue. */
async function ship({ Body }) {
  let claim;
  try {
    const { order } = JSON.parse(Body);
    claim = claims.claim(order);
    if (claim.verdict !== 'distinct') return claim.verdict === 'duplicate';
    await appendFile(`${folder}/shipped.ndjson`, `${JSON.stringify({ order })}\n`);
    return claim.commit() === 'committed';
  } catch (error) {
    console.error(error);
    claim?.abort();
    return false;
  }
}

const sqs = new SQSClient();
const batch = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 };
for (;;) {
  const { Messages: messages = [] } = await sqs.send(new ReceiveMessageCommand(batch));
  const isDone = await Promise.all(messages.map(ship));
  const done = messages.filter((_message, i) => isDone[i]);
  if (done.length === 0) continue;
  await state.save();
  const Entries = done.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}
