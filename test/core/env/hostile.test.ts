/** Files that are slow if each finding searches its line from the start, or a value is checked against the file repeatedly. */
import { describe, expect, test } from "vitest";
import { checkEnvFiles } from "../../../src/core/env/check.ts";
import { planWrite } from "../../../src/core/env/plan.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";

const SIZE = 2 ** 18;

function filled(line: (index: number) => string): string {
  const lines: string[] = [];
  for (let size = 0; size < SIZE; size += lines.at(-1)!.length) lines.push(line(lines.length));
  return lines.join("");
}

function cpuSeconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

describe.each([
  ["one key again and again", filled(() => "SVC_HTTP_FRAMEWORK=express\n")],
  ["lines that assign nothing", filled(() => "x\n")],
  ["open quotes", filled(() => "A='x\n")],
  ["misspelled keys", filled((index) => `SVC_${index.toString(36)}=\n`)],
])("256 KiB of %s", (_, text) => {
  // A quadratic algorithm would take minutes.
  test("is checked within seconds", () => {
    const check = () => checkEnvFiles(packagedRuntimeContract, [{ text, fileName: ".env.dev" }]);
    expect(cpuSeconds(check)).toBeLessThan(10);
  });

  test("is written to within seconds", () => {
    const values = { SVC_HTTP_FRAMEWORK: "fastify", SVC_REALTIME_API: "yes", SVC_WEBSOCKET_REDIS_URL: "redis://h" };
    const write = (): unknown => {
      try {
        return planWrite(packagedRuntimeContract, text, values, ".env.dev");
      } catch (error) {
        return error;
      }
    };
    expect(cpuSeconds(write)).toBeLessThan(10);
  });
});
