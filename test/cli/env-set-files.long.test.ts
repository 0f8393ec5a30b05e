/** A developer who follows a command from its arguments to its effect should have to open few files. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { makeWorkspace } from "../support/workspace.ts";

const SOURCE = `file://${REPOSITORY}/src/`;
const DEVELOPMENT = join(REPOSITORY, "bin/dev.js");
const MAX_FILES = 43;

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly CoveredFunction[] }[];
}

interface CoveredFunction {
  readonly functionName: string;
  readonly ranges: readonly [{ readonly startOffset: number; readonly endOffset: number; readonly count: number }];
}

/** The calls of each function of the source, except modules and classes themselves. */
function callsOf(argv: readonly string[], cwd: string): Map<string, number> {
  const folder = temporaryFolder();
  const env = plainEnvironment({ HOME: folder, NODE_V8_COVERAGE: folder });
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, env, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const files = readdirSync(folder).filter((name) => name.startsWith("coverage-"));
  const scripts = files.flatMap((name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage).result);
  const own = scripts.filter(({ url }) => url.startsWith(SOURCE));
  return new Map(
    own.flatMap(({ url, functions }) =>
      functions
        .filter(({ functionName: name, ranges: [{ startOffset }] }) => name !== "" || startOffset > 0)
        .filter(({ functionName: name }) => name !== "__name" && !name.startsWith("<"))
        .map(({ ranges: [{ startOffset, endOffset, count }] }) => {
          const path = url.slice(SOURCE.length).replace(/\?.*/, "");
          return [`${path} ${startOffset} ${endOffset}`, count] as const;
        }),
    ),
  );
}

test("svcm env set loads few files between parsing its arguments and renaming the env file", () => {
  const { root } = makeWorkspace();
  const calls = callsOf([DEVELOPMENT, "env", "set", "SVC_HTTP_FRAMEWORK=fastify"], root);
  const imported = [...new Set(Array.from(calls.keys(), fileOf))].filter((file) => file !== "cli/dev.ts");
  const importing = join(temporaryFolder(), "import.mjs");
  const register = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))};\nregister();\n`;
  writeFileSync(importing, register + imported.map((file) => `await import("${SOURCE}${file}");\n`).join(""));
  const atImport = callsOf([importing], root);
  const passed = [...calls]
    .filter(([called, count]) => count > (atImport.get(called) ?? 0))
    .map(([called]) => fileOf(called));
  const files = [...new Set(passed)].filter((file) => file !== "cli/dev.ts").toSorted();
  console.log(`svcm env set: ${files.length} files`);
  expect(files).toContain("core/files/write.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(MAX_FILES);
});

const fileOf = (called: string): string => called.slice(0, called.indexOf(" "));
