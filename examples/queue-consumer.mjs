// The consumer of a queue that delivers at least once, on messages it makes up itself: producers send some of them twice,
// workers crash, and what was not acknowledged in time is delivered again. Once with each message marked seen on arrival,
// once with claim and commit. Run it with `node examples/queue-consumer.mjs`.

import { create, createClaims } from 'firstseen';
import { generator } from './lib/random.mjs';

const MESSAGES = 1000;
const WORKERS = 8;
/** How long a message that was received stays hidden from the others. The lease is as long. */
const VISIBILITY_MILLISECONDS = 50;

/** `begin(id)` gives the verdict on a message and, when it is distinct, the commit to call once it is processed. */
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

  /** Receives a message; returns what is to be done when its work is over. */
  function receive(message) {
    message.visibleAt = clock + VISIBILITY_MILLISECONDS;
    deliveries++;
    const { verdict, commit } = begin(message.id);
    if (verdict === 'duplicate') {
      keptAway++;
      acknowledge(message);
    }
    // Pending: another worker has it. Without an acknowledgement it comes again, should that worker crash.
    if (verdict !== 'distinct') return undefined;
    const fate = random();
    return () => {
      if (fate < 0.05) return; // The worker crashes halfway.
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
  const claims = createClaims(detector, { pending: 100, leaseMilliseconds: VISIBILITY_MILLISECONDS, now });
  return (id) => claims.claim(id);
});
