// Consumes a queue that delivers at least once. The messages are generated. Producers send some of them twice, workers crash,
// and the queue redelivers a message that was not acknowledged in time. The program runs twice: first it marks each message as
// seen on arrival, then it uses claim and commit. Run it with `node examples/queue-consumer.mjs`.

import { create, createClaims } from 'firstseen';
import { generator } from './lib/random.mjs';

const MESSAGES = 1000;
const WORKERS = 8;
/** How long a received message stays hidden from the other workers. The lease has the same length. */
const VISIBILITY_MILLISECONDS = 50;

/** `begin(id)` returns the verdict on a message and, if it is distinct, the commit to call after processing. */
async function consume(name, createBegin) {
  const random = generator(7);
  let clock = 0;
  const begin = await createBegin(() => clock);

  let queue = Array.from({ length: MESSAGES }, (_, i) => ({ id: `order-${i}`, visibleAt: i }));
  queue = queue.flatMap((message) => (random() < 0.1 ? [message, { ...message }] : [message]));
  const acknowledge = (message) => queue.splice(queue.indexOf(message), 1);

  const processed = new Map();
  let deliveries = 0;
  let keptAway = 0;

  /** Receives a message. Returns the function to call when its processing time is over. */
  function receive(message) {
    message.visibleAt = clock + VISIBILITY_MILLISECONDS;
    deliveries++;
    const { verdict, commit } = begin(message.id);
    if (verdict === 'duplicate') {
      keptAway++;
      acknowledge(message);
    }
    // Pending: another worker has the message. It is not acknowledged, so the queue redelivers it if that worker crashes.
    if (verdict !== 'distinct') return undefined;
    const fate = random();
    return () => {
      if (fate < 0.05) return; // The worker crashes during its work.
      processed.set(message.id, (processed.get(message.id) ?? 0) + 1);
      if (fate < 0.07) return; // The worker crashes between its work and the commit.
      commit?.();
      acknowledge(message);
    };
  }

  const workers = Array.from({ length: WORKERS }, () => ({ busyUntil: 0, finish: undefined }));
  for (; queue.length > 0; clock++) {
    for (const worker of workers) {
      if (worker.busyUntil > clock) continue;
      worker.finish?.();
      worker.finish = undefined;
      const message = queue.find(({ visibleAt }) => visibleAt <= clock);
      if (!message) continue;
      worker.finish = receive(message);
      worker.busyUntil = clock + 1 + Math.floor(random() * 10);
    }
  }

  const again = [...processed.values()].reduce((sum, times) => sum + times - 1, 0);
  console.log(
    `${name}: ${MESSAGES} messages, ${deliveries} deliveries, ${MESSAGES - processed.size} never processed, ` +
      `${keptAway} repeats kept away, ${again} processed again`,
  );
}

await consume('marked on arrival', async () => {
  const detector = await create({ algorithm: 'exact', memory: '64KiB' });
  return (id) => ({ verdict: detector.observe(id) });
});

await consume('claim and commit', async (now) => {
  const detector = await create({ algorithm: 'exact', memory: '64KiB' });
  const claims = createClaims(detector, { pending: 100, lease: VISIBILITY_MILLISECONDS, now });
  return (id) => claims.claim(id);
});
