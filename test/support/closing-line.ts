import type { Reporter, TestModule } from "vitest/node";

/** Ends the run's output with one line that any reader understands: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) counts[test.result().state]++;
      if (tests.length === 0 && !module.ok()) counts.failed++;
    }
    const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped + counts.pending} skipped`;
    // Behind the summary of the reporter before this one.
    process.on("exit", () => process.stdout.write(`${line}\n`));
  }
}
