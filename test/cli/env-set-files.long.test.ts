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
/** Ends the count directly before the env file is replaced. */
const UNTIL_RENAME = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  import v8 from "node:v8";
  const rename = fs.renameSync;
  fs.renameSync = (from, to) => {
    v8.takeCoverage();
    v8.stopCoverage();
    fs.renameSync = rename;
    syncBuiltinESMExports();
    rename(from, to);
  };
  syncBuiltinESMExports();
`;

const OWN_CONTRACT = {
  "svcm.yaml": `version: 1
environments: { production: [] }
default: production
env: { production: .env }
keys:
  LOG_LEVEL: { kind: text, tier: editable }
`,
  ".env": "LOG_LEVEL=info\n",
};

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

test.each([
  ["the packaged contract", 46, undefined, "SVC_HTTP_FRAMEWORK=fastify"],
  ["an own contract", 57, OWN_CONTRACT, "LOG_LEVEL=warn"],
])("svcm env set with %s passes at most %i files on its way to the rename", (_, max, contents, assignment) => {
  const { root } = makeWorkspace(contents);
  const scripts = temporaryFolder();
  const [untilRename, importing] = [join(scripts, "until-rename.mjs"), join(scripts, "import.mjs")];
  writeFileSync(untilRename, UNTIL_RENAME);
  const calls = callsOf(["--import", untilRename, DEVELOPMENT, "env", "set", assignment], root);
  const imported = [...new Set(Array.from(calls.keys(), fileOf))].filter((file) => file !== "cli/dev.ts");
  const register = `import { register } from ${JSON.stringify(import.meta.resolve("tsx/esm/api"))};\nregister();\n`;
  writeFileSync(importing, register + imported.map((file) => `await import("${SOURCE}${file}");\n`).join(""));
  const atImport = callsOf([importing], root);
  const passed = [...calls]
    .filter(([called, count]) => count > (atImport.get(called) ?? 0))
    .map(([called]) => fileOf(called));
  const files = [...new Set(passed)].filter((file) => file !== "cli/dev.ts").toSorted();
  console.log(`svcm env set: ${files.length} files`);
  expect(files).toContain("core/files/write.ts");
  expect(files).not.toContain("commands/terminal/changes.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(max);
});

const fileOf = (called: string): string => called.slice(0, called.indexOf(" "));
