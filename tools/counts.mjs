// What commands that run tests print last: `N passed, N failed`, and where tests are skipped also `, N skipped`.

const LINE = /^([0-9]+) passed, ([0-9]+) failed(?:, ([0-9]+) skipped)?$/;

/** @param skipped undefined for a command that does not count skipped tests */
export function countsText({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === undefined ? '' : `, ${skipped} skipped`}`;
}

/** The counts on the last line of an output, without `skipped` where the line does not count it; undefined if it has none. */
export function countsOf(output) {
  const found = LINE.exec(output.trimEnd().split('\n').at(-1));
  if (found === null) return undefined;
  const [passed, failed, skipped] = found.slice(1);
  return {
    passed: Number(passed),
    failed: Number(failed),
    ...(skipped === undefined ? {} : { skipped: Number(skipped) }),
  };
}

/** A line for each reason for which tests were skipped. */
export function skippedLines(reasons) {
  const numberOf = new Map();
  for (const reason of reasons) numberOf.set(reason, (numberOf.get(reason) ?? 0) + 1);
  return [...numberOf].map(([reason, number]) => `${number} skipped: ${reason}`);
}

/**
 * Counts the tests that node:test runs, until `events` end. A file or a group of tests that fails without a failed test counts as
 * one failed test, so that a file which cannot be loaded is not a success.
 * @param events the stream of events that `run` of node:test returns
 * @returns a function that gives the counts, with the reasons of the skipped tests
 */
export function counterOf(events) {
  let [passed, failed] = [0, 0];
  const reasons = [];
  const withFailures = new Set();
  const isTest = ({ details, file, name }) => details?.type !== 'suite' && name !== file;
  events.on('test:fail', (event) => {
    // The tests of a group are cancelled when its preparation fails, also those that would have been skipped.
    if (isTest(event) ? event.skip !== undefined : withFailures.has(event.file)) return;
    failed++;
    withFailures.add(event.file);
  });
  events.on('test:pass', (event) => {
    if (!isTest(event)) return;
    if (event.skip === undefined) passed++;
    else reasons.push(String(event.skip));
  });
  return () => ({ passed, failed, skipped: reasons.length, reasons });
}
