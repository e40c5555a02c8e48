// A receiver of webhooks with Fastify. Senders deliver an event again until they get a status of success, and sometimes after it.
// Run it with `node examples/services/fastify.mjs FOLDER PORT`.

import { appendFile } from 'node:fs/promises';
import Fastify from 'fastify';
import { createClaims } from 'firstseen';
import { openState } from 'firstseen/node';

/** Has all routes of an application handle each identifier once, and answer repeats as they answered it. */
function once(app, { claims, state, header }) {
  app.decorateRequest('claim', null);
  app.addHook('preHandler', async (request, reply) => {
    if (request.is404) return;
    const claim = claims.claim(request.headers[header]);
    // The delivery in progress may fail. A status of failure makes the sender come again.
    if (claim.verdict === 'pending') return reply.code(503).header('retry-after', 1).send({ status: 'in progress' });
    request.claim = claim;
    if (claim.verdict === 'distinct') return;
    const [status, payload] = JSON.parse(claim.answer ?? '[200,"{\\"status\\":\\"processed before\\"}"]');
    return reply.code(status).type('application/json').send(payload);
  });
  app.addHook('onSend', async ({ claim }, reply, payload) => {
    if (!claim) return;
    if (reply.statusCode >= 400) return void claim.abort?.();
    claim.commit?.(JSON.stringify([reply.statusCode, payload]));
    await state.save();
  });
}

const [folder = '.', port = 3000] = process.argv.slice(2);
// The senders choose the identifiers: with a secret they cannot choose some that fool the detector.
const state = await openState(`${folder}/webhooks.state`, {
  algorithm: 'exact',
  window: '3d',
  memory: '4MiB',
  secret: 'random',
});
// A claim ends when its request does. After a crash no key is held, and repeats get no more than that they were processed.
const claims = createClaims(state.detector, { lease: Number.POSITIVE_INFINITY, answers: '16MiB' });
const app = Fastify();
once(app, { claims, state, header: 'webhook-id' });
const properties = { 'webhook-id': { type: 'string', minLength: 1 } };
const headers = { type: 'object', properties, required: ['webhook-id'] };
app.post('/webhooks', { schema: { headers } }, async ({ headers: { 'webhook-id': id }, body }) => {
  await appendFile(`${folder}/events.ndjson`, `${JSON.stringify({ id, event: body })}\n`);
  return { status: 'processed' };
});
await app.listen({ port });
console.log(`listening on ${app.server.address().port}`);
