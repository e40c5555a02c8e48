// Payments over Express: a POST with the Idempotency-Key of an earlier one pays nothing. Clients repeat a request without an answer.
// Run it with `node examples/services/express.mjs FOLDER PORT`.

import { appendFile } from 'node:fs/promises';
import express from 'express';
import { createClaims } from 'firstseen';
import { openState } from 'firstseen/node';

const [folder = '.', port = 3000] = process.argv.slice(2);
// Exact, because a false positive would refuse a payment. A full memory throws E_FULL, and the client gets the status 500.
const options = { algorithm: 'exact', window: '24h', memory: '4MiB' };
const state = await openState(`${folder}/payments.state`, options);
// A claim ends when its request does. After a crash no key is held.
const claims = createClaims(state.detector, { lease: Number.POSITIVE_INFINITY });

const app = express();
app.post('/payments', express.json(), async (request, response) => {
  const key = request.get('Idempotency-Key');
  if (!key) return response.status(400).json({ error: 'the header Idempotency-Key is missing' });
  const claim = claims.claim(key);
  // The first request may still fail, so its repeat has to come again.
  if (claim.verdict === 'pending') return response.status(409).json({ error: 'the first request is in progress' });
  if (claim.verdict === 'duplicate') {
    await state.save(); // The first request may have no answer yet because its state is being saved.
    return response.status(200).json({ status: 'paid before' });
  }
  try {
    await appendFile(`${folder}/payments.ndjson`, `${JSON.stringify({ key, payment: request.body })}\n`);
  } catch (error) {
    claim.abort();
    throw error;
  }
  claim.commit();
  await state.save();
  return response.status(201).json({ status: 'paid' });
});

const server = app.listen(port, () => console.log(`listening on ${server.address().port}`));
