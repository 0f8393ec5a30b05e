import { stripVTControlCharacters } from "node:util";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

type Failures = readonly { readonly message: string }[];

/**
 * Ends the run's output with a line for each failure, because the middle of a long log may be lost, and with one line
 * that any reader understands: `N passed, N failed, N skipped`.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: Failures): void {
    const lines = [
      ...modules.flatMap(failuresIn),
      ...unhandledErrors.map((error) => lineOf("outside of the tests", [error])),
    ];
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state]++;
    const { passed, skipped, pending } = counts;
    lines.push(`${passed} passed, ${lines.length} failed, ${skipped + pending} skipped`);
    // After the summary of the previous reporter.
    process.on("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }
}

/** The errors of its tests, of itself and of its suites: a file that does not load or a hook that fails. */
function failuresIn(module: TestModule): string[] {
  const groups = [module, ...module.children.allSuites()].filter((group) => group.errors().length > 0);
  const tests = [...module.children.allTests("failed")];
  return [
    ...groups.map((group) => lineOf(titleOf(group), group.errors())),
    ...tests.map((test) => lineOf(titleOf(test), test.result().errors ?? [])),
  ];
}

function titleOf(task: TestModule | TestSuite | TestCase): string {
  return task.type === "module" ? task.relativeModuleId : `${titleOf(task.parent)} › ${task.name}`;
}

function lineOf(title: string, [first]: Failures): string {
  const [reason = ""] = stripVTControlCharacters(first?.message ?? "").split("\n");
  return `FAILED ${title}: ${reason}`;
}
