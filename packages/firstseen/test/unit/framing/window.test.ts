import { expect, test } from 'vitest';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { observed } from '../../../src/framing/batch.js';
import { Counter } from '../../../src/framing/counts.js';
import { Cutter } from '../../../src/framing/cutter.js';
import { keyedScan } from '../../../src/framing/keyedscan.js';
import { noLinesBefore } from '../../../src/framing/linesbefore.js';
import { ByteWindow, PushWindow } from '../../../src/framing/window.js';
import { SCAN_SPARE_BYTES } from '../../../src/kernel/abi.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { plainKeyRules } from '../../../src/records/policies.js';
import { configureScan } from '../../../src/records/settings.js';
import { kernelModules } from '../../support/kernels.js';

test('nothing outside a window is taken', () => {
  const window = new ByteWindow(100);
  window.end = 110;
  for (const address of [99, 111]) {
    expect(() => window.advance(address)).toThrow(
      expect.objectContaining({
        code: 'E_INVARIANT',
        message: expect.stringContaining(
          `records end within what was read, but address is ${address}, start is 100, end is 110;`,
        ),
      }),
    );
    expect(window.start).toBe(100);
  }
  window.advance(110);
  expect(window.start).toBe(110);
});

const REGION_BYTES = 4096;

test('a kernel that says that it has read more than there is ends the run before the records are given', async () => {
  const detector = await Detector.create(
    { algorithm: 'exact', memory: '64KiB', witness: false },
    { regionBytes: 2 * REGION_BYTES, module: kernelModules.release },
  );
  const real = kernelOf(detector);
  let excess = 0;
  const exports = { ...real.exports, scanPosition: () => real.exports.scanPosition() + excess };
  const kernel = new Proxy(real, {
    get: (target, name) => (name === 'exports' ? exports : Reflect.get(target, name, target)),
  }) as Kernel;
  const scan = keyedScan({
    format: 'lines',
    fingerprint: 'xxh64',
    maxRecordBytes: 100,
    keys: [],
    rules: plainKeyRules,
  });
  configureScan(real, scan, {
    offset: real.regionOffset + REGION_BYTES,
    bytes: REGION_BYTES - SCAN_SPARE_BYTES,
  });
  const observe = (count: number) => observed(detector, count, () => detector.observePlaced(count));
  const window = new PushWindow(real, real.regionOffset);
  const position = { offset: 0, lines: 0 };
  const cutter = new Cutter(
    {
      ...{ kernel, format: 'lines', onError: 'fail', missingKey: 'fail', emptyKey: 'key', timing: 'none' },
      ...{ takesKeyless: true, maxRecordBytes: 100, linesBefore: noLinesBefore, strictProblem: undefined },
      ...{ counter: new Counter(), job: { observe, observeTimed: observe, advance: () => undefined } },
    },
    { names: { name: 'in', path: 'in' }, window, position },
  );
  window.push(new TextEncoder().encode('a\nb\n'));
  expect(cutter.begin() && cutter.skip()).toBe(true);
  excess = 1;
  expect(() => cutter.next()).toThrow(expect.objectContaining({ code: 'E_INVARIANT' }));
  expect([position, window.start]).toEqual([{ offset: 0, lines: 0 }, real.regionOffset]);
  detector.close();
});
