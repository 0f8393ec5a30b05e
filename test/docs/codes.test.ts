import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { catalog } from "../../src/core/report/catalog.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FAMILY =
  /^(?:ENV|PROFILE|STARTUP|FACT|YAML|JSON|INPUT|SUITE|CONFIG|TARGET|INTERFACE|ECOSYSTEM|CODE|REVISION|GIT|PM2|PROCESS|START|STOP|RESTART|SELF|ALREADY|APP|ASYNC)_/;

function sources(folder: string, ...except: string[]): string {
  const files = readdirSync(root + folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const kept = files.filter((file) => !except.includes(file));
  return kept.map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")).join("\n");
}

function words(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].toSorted();
}

test("the catalog documents exactly the codes of the source", () => {
  const kinds = [
    "ENV_FILE_FAILED",
    "ECOSYSTEM_FILE_FAILED",
    "SUITE_FILE_FAILED",
    "REVISION_FAILED",
    "PM2_METRICS_FAILED",
    "START_REFUSED",
  ];
  const variables = ["PM2_HOME", "PM2_PROGRAMMATIC", "PM2_DISABLE_VERSION_CHECK"];
  const noCodes = new Set([...kinds, ...variables]);
  const shape = words(sources("src/core/suite"), /^ {2}([A-Z][A-Z_]+): \{$/gm);
  const quoted = words(
    sources("src", "core/report/codes.ts", "core/report/process-codes.ts", "core/report/telemetry-codes.ts"),
    /"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/g,
  ).filter((code) => FAMILY.test(code));
  const inSource = [...new Set([...quoted, ...shape])].filter((code) => !noCodes.has(code)).toSorted();
  const documented = Object.values(catalog)
    .flatMap(Object.keys)
    .filter((code) => FAMILY.test(code))
    .toSorted();
  expect(documented).toEqual(inSource);
});

test("every variable of the service itself stands in the documentation, and no other", () => {
  const inSource = words(sources("src"), /\b(SVC_SERVICE_MANAGEMENT_[A-Z0-9_]+)\b/g);
  const docs = readdirSync(`${root}docs/how-to`).map((file) => readFileSync(`${root}docs/how-to/${file}`, "utf8"));
  expect(words(docs.join("\n"), /\b(SVC_SERVICE_MANAGEMENT_[A-Z0-9_]+)\b/g)).toEqual(inSource);
});
