// A reporter for vitest that prints the number of skipped tests for each reason.

export default class SkippedReporter {
  onTestRunEnd(modules) {
    const reasons = new Map();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = test.result().note ?? 'it was not selected';
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of reasons) console.log(`${count} skipped: ${reason}`);
  }
}
