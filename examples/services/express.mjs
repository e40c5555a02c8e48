// Payments over Express: a repeated POST pays nothing and gets the answer of the first one, as the draft of the IETF "The Idempotency-Key
// HTTP Header Field" asks. Run it with `node examples/services/express.mjs FOLDER PORT`.

import { appendFile } from 'node:fs/promises';
import express from 'express';
import { createClaims } from 'firstseen';
import { openState } from 'firstseen/node';

/** Handles each key once. A request that fails may come again with its key. */
function once({ claims, state }, handle) {
  return async (request, response) => {
    const answer = ([status, body]) => response.status(status).json(body);
    const key = request.get('Idempotency-Key');
    if (!key) return answer([400, { error: 'the header Idempotency-Key is missing' }]);
    const claim = claims.claim(key, { body: JSON.stringify([request.originalUrl, request.body]) });
    if (claim.verdict === 'mismatch') return answer([422, { error: 'the key was used for another request' }]);
    if (claim.verdict === 'pending') return answer([409, { error: 'the first request is in progress' }]);
    let kept = claim.answer;
    if (claim.verdict === 'distinct') {
      try {
        kept = JSON.stringify(await handle(request));
      } catch (error) {
        claim.abort();
        throw error;
      }
      claim.commit(kept);
    }
    await state.save(); // Also for a repeat: the first request may have no answer yet because its state is being saved.
    return answer(JSON.parse(kept ?? '[200,{"status":"paid before"}]'));
  };
}

const [folder = '.', port = 3000] = process.argv.slice(2);
// Exact, because a false positive would refuse a payment. A full memory throws E_FULL, and the client gets the status 500.
const state = await openState(`${folder}/payments.state`, { algorithm: 'exact', window: '24h', memory: '4MiB' });
// A claim ends when its request does. After a crash no key is held, and repeats get no more than that they were paid.
const claims = createClaims(state.detector, { lease: Number.POSITIVE_INFINITY, answers: '16MiB' });
const app = express();
const pay = async (request) => {
  const record = { key: request.get('Idempotency-Key'), payment: request.body };
  await appendFile(`${folder}/payments.ndjson`, `${JSON.stringify(record)}\n`);
  return [201, { status: 'paid' }];
};
app.post('/payments', express.json(), once({ claims, state }, pay));
const server = app.listen(port, () => console.log(`listening on ${server.address().port}`));
