import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { generatedFiles, generatedSources } from "../../scripts/generated.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { longTest } from "../support/runs.ts";

const DERIVED = Object.keys({ ...generatedSources, ...generatedFiles });

longTest("one run of npm run generate writes a new value of a key to every file that lists it", () => {
  const root = temporaryFolder();
  for (const file of ["config", "docs", "package.json", "schemas", "scripts", "src", "tsconfig.json"])
    cpSync(join(REPOSITORY, file), join(root, file), { recursive: true });
  for (const file of ["node_modules", "oclif.manifest.json"]) symlinkSync(join(REPOSITORY, file), join(root, file));
  // The build does not depend on the values.
  writeFileSync(join(root, "scripts/build.ts"), "export {};\n");
  const contract = join(root, "config/runtime-contract.yaml");
  writeFileSync(
    contract,
    readFileSync(contract, "utf8").replace("      - express\n", "      - express\n      - hono\n"),
  );
  const generate = () => {
    execFileSync(process.execPath, ["--import", "tsx", "scripts/generate.ts"], { cwd: root });
    return DERIVED.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
  };
  const first = generate();
  const changed = first.filter(([, text]) => text.includes("hono")).map(([file]) => file);
  expect(changed).toEqual([
    "src/core/project/facts/packaged.generated.ts",
    "schemas/service-management.v1.schema.json",
    "schemas/openapi.json",
    "docs/reference/runtime-keys.md",
  ]);
  expect(generate()).toEqual(first);
});
