// What every runtime runs: the same calls of the library, and their answers as data. It uses only what all runtimes have.

/** FNV-1a of bytes, as a short text. */
function digestOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `${bytes.length}:${hash.toString(16)}`;
}

/** Keys of all types, with repeats. */
function keysOf(count) {
  return Array.from({ length: count }, (_, i) => {
    const number = (i * i) % 701;
    return [`key ${number} é`, number, BigInt(number) << 40n, Uint8Array.of(number & 255, number >> 8)][i % 4];
  });
}

function verdictsOf(detector, keys) {
  return Uint8Array.from(keys, (key) => (detector.observe(key) === 'duplicate' ? 1 : 0));
}

function itemStream(items) {
  return new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}

async function itemsOf(stream) {
  const items = [];
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) items.push(read.value);
  return items;
}

async function codeOf(call) {
  try {
    await call();
  } catch (error) {
    return `${error.name} ${error.code}`;
  }
  return 'no error';
}

/** By name: a function of the library and of the options that every call takes (`module`, or none). */
const calls = {
  async families({ families, create }, host) {
    const answers = {};
    for (const { name } of families) {
      const detector = await create({ algorithm: name, memory: '64KiB', seed: 3, ...host });
      answers[name] = digestOf(verdictsOf(detector, keysOf(2000)));
    }
    return answers;
  },
  async batches({ create }, host) {
    const detector = await create({ memory: '64KiB', ...host });
    return digestOf(detector.observeBatch(BigUint64Array.from({ length: 40_000 }, (_, i) => BigInt((i * i) % 9973))));
  },
  async snapshots({ create, load, save }, host) {
    const detector = await create({ algorithm: 'qht', memory: '64KiB', witness: true, ...host });
    verdictsOf(detector, keysOf(1000));
    const snapshot = await save(detector, Uint8Array.of(1, 2));
    const loaded = await load(snapshot, host);
    return [digestOf(snapshot), [...loaded.note], digestOf(verdictsOf(loaded, keysOf(2000)))];
  },
  async snapshotStreams({ create, load, snapshotChunks }, host) {
    const detector = await create({ algorithm: 'bloom', memory: '64KiB', ...host });
    verdictsOf(detector, keysOf(1000));
    const loaded = await load(snapshotChunks(detector), host);
    return digestOf(verdictsOf(loaded, keysOf(2000)));
  },
  async planned({ create }, host) {
    const detector = await create({ memory: '1MiB', distinctElements: 1e5, fpr: 1e-3, ...host });
    return [detector.stats().algorithm, digestOf(verdictsOf(detector, keysOf(2000)))];
  },
  async dedup({ dedup }, host) {
    const passed = [];
    for await (const item of dedup(['a', 'b', 'a', 'c', 'b'], { memory: '64KiB', ...host })) passed.push(item);
    return passed;
  },
  async dedupStream({ dedupStream }, host) {
    return itemsOf(itemStream(['a', 'b', 'a', 'c']).pipeThrough(dedupStream({ memory: '64KiB', ...host })));
  },
  async secrets({ create }, host) {
    const secret = '000102030405060708090a0b0c0d0e0f';
    const [keyed, random] = await Promise.all([
      create({ memory: '64KiB', secret, ...host }),
      create({ memory: '64KiB', secret: 'random', ...host }),
    ]);
    return [String(keyed.fingerprint('a')), random.observe('a'), random.observe('a')];
  },
  async near({ createNear, loadNear, save }, host) {
    const near = await createNear({ memory: '64KiB', ...host });
    near.observe('one two three four five six seven');
    const loaded = await loadNear(await save(near), host);
    return ['one two three four five six seven', 'something else'].map((text) => loaded.test(text).verdict);
  },
  async motifs({ createMotifs, loadMotifs, save }, host) {
    const motifs = await createMotifs({ recordBytes: 8, addressBits: 12, ...host });
    const records = Uint8Array.from({ length: 80 }, (_, i) => (i % 16) * 15);
    motifs.observe(records);
    const loaded = await loadMotifs(await save(motifs), host);
    return loaded.stats().sizes;
  },
  async errors({ create, load }, host) {
    const detector = await create({ memory: '64KiB', ...host });
    return Promise.all([
      codeOf(() => create({ memory: '8GiB', ...host })),
      codeOf(() => create({ algorithm: 'none', ...host })),
      codeOf(() => create({ module: {} })),
      codeOf(() => load(new Uint8Array(9), host)),
      codeOf(() => detector.observe({})),
    ]);
  },
};

/**
 * The answers of a runtime by the names of the calls. Answers are data that JSON can hold.
 * @param firstseen the library
 * @param host options that every call takes
 */
export async function answersOf(firstseen, host = {}) {
  const answers = {};
  for (const [name, call] of Object.entries(calls)) answers[name] = await call(firstseen, host);
  return answers;
}

/** What a program meets where WebAssembly is not compiled: the error of each function that needs a kernel. */
export async function refusalsOf({ create, createNear, createMotifs, dedup }) {
  const drain = async () => {
    for await (const _item of dedup(['a'])) break;
  };
  return Promise.all(
    [create, createNear, () => createMotifs({ recordBytes: 8 }), drain].map((call) => codeOf(() => call())),
  );
}
