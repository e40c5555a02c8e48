// Values that programs without types can give for options and arguments: each is refused with a typed error that names it.

import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.js';
import { createMotifs } from '../../src/motifs.js';
import { createNear } from '../../src/near.js';
import { describeState } from '../../src/node.js';
import { GapSample, plan, planText, streamOfSample } from '../../src/plan.js';
import { planSync } from '../support/plan.js';

type Call = (...values: unknown[]) => unknown;

/** An object that cannot become text. */
const bare: unknown = Object.create(null);

/** The error of a call, thrown or rejected. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

async function expectRefused(call: () => unknown, option: string, code = 'E_PARAMETER'): Promise<void> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(library.FirstseenError);
  expect(error).toMatchObject({ code, option, message: expect.stringContaining(option) });
  expect(String(error).length).toBeLessThan(400);
}

describe('GapSample', () => {
  test.each([3, 0, 'a', Number.NaN, -1, 1e9, 0.5, 2 ** 33, 2n, null, bare, Symbol('two')])(
    'refuses to follow one element in %o',
    async (oneIn) => {
      await expectRefused(() => new GapSample({ oneIn } as object), 'oneIn');
    },
  );

  test.each([1, 2, 2 ** 31, 2 ** 32])('follows one element in %i', (oneIn) => {
    expect(new GapSample({ oneIn }).elements).toBe(0);
  });

  test.each([-1n, -(2n ** 64n), 2n ** 64n, 2n ** 5000n, 5, '5', undefined, null, bare])(
    'refuses the fingerprint %o',
    async (fingerprint) => {
      const sample = new GapSample();
      await expectRefused(() => sample.add(fingerprint as bigint), 'fingerprint');
      expect(sample.elements).toBe(0);
    },
  );

  test('that followed none of its elements has no stream', async () => {
    const sample = new GapSample({ oneIn: 2 ** 32 });
    for (let i = 1n; i < 100n; i++) sample.add(i);
    await expectRefused(() => sample.stream('a sample'), 'oneIn', 'E_SAMPLE');
  });

  test('takes the least and the largest fingerprint', () => {
    const sample = new GapSample();
    for (const fingerprint of [0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n, 0n]) sample.add(fingerprint);
    expect(sample.distinctElements).toBe(4);
  });
});

describe('streamOfSample', () => {
  const sample = new GapSample();
  for (let i = 0n; i < 1000n; i++) sample.add(i);
  const known = { name: 'in', isWhole: true };

  test.each<[string, unknown]>([
    ['options', undefined],
    ['options', null],
    ['name', { isWhole: true }],
    ['name', { ...known, name: Symbol('in') }],
    ['isWhole', { name: 'in' }],
    ['lengthElements', { ...known, lengthElements: 2n ** 40n }],
    ['lengthElements', { ...known, lengthElements: 'x' }],
    ['length', { ...known, length: 5 }],
  ])('names %s', async (option, stream) => {
    await expectRefused(() => (streamOfSample as Call)(sample, stream), option);
  });

  test.each([undefined, {}, 5])('refuses %o in place of a sample', async (value) => {
    await expectRefused(() => (streamOfSample as Call)(value, known), 'sample');
  });
});

describe('planText', () => {
  // A plan that takes little time.
  const advice = planSync({ memory: '64KiB', layout: 'classic', distinctElements: 3000 });

  test.each([undefined, null, {}, 5, JSON.parse(JSON.stringify(advice))])(
    'refuses what is not a plan: %#',
    async (value) => {
      await expectRefused(() => (planText as Call)(value), 'plan');
    },
  );

  test('refuses a use that is not a function', async () => {
    await expectRefused(() => (planText as Call)(advice, 5), 'useText');
  });
});

describe('claims and streams', () => {
  test('createClaims refuses a clock that is not a function', async () => {
    const detector = await library.create({ memory: 1024 });
    await expectRefused(() => (library.createClaims as Call)(detector, { now: 5 }), 'now');
  });

  test.each([null, 5, { aborted: false }, bare])('dedup refuses the signal %o', async (signal) => {
    const options = { deliver: async () => undefined, signal } as object;
    await expectRefused(() => library.dedup(['a'], options).next(), 'signal');
  });

  test('dedupBytes fails with a clock that is not a function', async () => {
    const { readable } = library.dedupBytes({ now: 5 } as object);
    await expectRefused(() => readable.getReader().read(), 'now');
  });
});

describe('range motifs', () => {
  test.each([null, undefined, 'a'.repeat(1_000_000), [], '', () => 1, 8])(
    'refuse records that are not bytes: %#',
    async (records) => {
      const motifs = await createMotifs({ recordBytes: 8 });
      await expectRefused(() => (motifs.observe as Call).call(motifs, records), 'records');
    },
  );
});

describe('create', () => {
  test.each([Symbol('rate'), bare, [bare]])('refuses the rate %o', async (fpr) => {
    await expectRefused(() => library.create({ fpr } as object), 'fpr');
  });
});

describe('createNear', () => {
  const odd = [Symbol('odd'), bare];
  test.each([...odd, 1n, 'many', -1, null])('refuses %o distinct documents', async (distinctDocuments) => {
    await expectRefused(() => createNear({ distinctDocuments } as object), 'distinctDocuments');
  });

  test.each(odd)('refuses the shingle and the bands %o', async (value) => {
    await expectRefused(() => createNear({ shingle: value } as object), 'shingle');
    await expectRefused(() => createNear({ bands: value } as object), 'bands');
  });
});

describe('sizes', () => {
  test.each([bare, [1024], Symbol('1KiB')])('refuses the size %o', async (size) => {
    await expectRefused(() => library.create({ memory: size } as object), 'memory', 'E_MEMORY');
    await expectRefused(() => plan({ memory: size } as object), 'memory', 'E_MEMORY');
    await expectRefused(() => library.load(new Uint8Array(0), { maxMemory: size } as object), 'maxMemory', 'E_MEMORY');
  });

  test.each(['x', '', -4, 1.5, [], null, 1n, Symbol('1KiB'), bare])(
    'refuses %o as the least memory of a plan',
    async (minMemoryBytes) => {
      for (const others of [{ lengthElements: 1e5 }, { memory: '1MiB' }, {}, { lengthElements: 1e5, partitions: 2 }]) {
        const asked = () => planSync({ ...others, minMemoryBytes } as object);
        await expectRefused(asked, 'minMemoryBytes', minMemoryBytes === null ? 'E_PARAMETER' : 'E_MEMORY');
      }
    },
  );
});

describe('hints of a named algorithm', () => {
  test.each(['x', -1, null, 1n, [], Symbol('many')])('are checked though they are not used: %o', async (hint) => {
    for (const option of ['distinctElements', 'lengthElements']) {
      for (const others of [{ algorithm: 'qht' }, { window: 100 }]) {
        await expectRefused(() => library.create({ memory: 1024, ...others, [option]: hint } as object), option);
      }
    }
  });

  test('are taken when they are counts', async () => {
    const { settings } = await library.create({
      algorithm: 'qht',
      memory: 1024,
      distinctElements: 1,
      lengthElements: 2 ** 50,
    });
    expect(settings.memoryBytes).toBe(1024);
  });
});

describe('describeState', () => {
  test.each([Symbol('state'), bare, {}, undefined])('refuses the path %o', async (path) => {
    await expectRefused(() => (describeState as Call)(path), 'path');
  });

  test('shows the beginning of a path that no system opens, and the whole of others', async () => {
    const refusal = (path: string) => errorOf(() => describeState(path));
    const long = 'no-such-folder/'.repeat(100_000);
    expect(await refusal(long)).toMatchObject({
      code: 'E_STATE_FILE',
      message: expect.stringMatching(
        /^cannot read state no-such-folder\/.{85}\.\.\. of 1,500,000 characters: \S.{0,60}$/,
      ),
    });
    const usual = `${'no-such-folder/'.repeat(20)}state`;
    expect(await refusal(usual)).toMatchObject({ message: expect.stringContaining(`there is no state ${usual}`) });
  });
});

describe('a locked stream is refused', () => {
  function lockedSource(): ReadableStream<string> {
    const stream = new ReadableStream<string>();
    stream.getReader();
    return stream;
  }

  test.each([{}, { deliver: async () => undefined }])('as the source of dedup with %o', async (options) => {
    await expectRefused(() => library.dedup(lockedSource(), options).next(), 'source');
  });

  test('as the source of a snapshot', async () => {
    await expectRefused(() => library.load(lockedSource() as never), 'snapshot');
  });
});
