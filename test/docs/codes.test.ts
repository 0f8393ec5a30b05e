import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

function sources(folder: string): string {
  const files = readdirSync(root + folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")).join("\n");
}

function words(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].toSorted();
}

test("docs/reference/codes.md names exactly the codes of the source", () => {
  const families = "(?:ENV|PROFILE|STARTUP|FACT|YAML|INPUT)_[A-Z0-9_]+";
  const kinds = new Set(["ENV_FILE_FAILED"]);
  const inSource = words(sources("src"), new RegExp(`"(${families})"`, "g")).filter((code) => !kinds.has(code));
  const inDocs = words(readFileSync(`${root}docs/reference/codes.md`, "utf8"), new RegExp(`\`(${families})\``, "g"));
  expect(inDocs).toEqual(inSource);
});

test("every variable of the service itself stands in the documentation, and no other", () => {
  const inSource = words(sources("src"), /\b(SVC_SERVICE_MANAGEMENT_[A-Z0-9_]+)\b/g);
  const docs = readdirSync(`${root}docs/how-to`).map((file) => readFileSync(`${root}docs/how-to/${file}`, "utf8"));
  expect(words(docs.join("\n"), /\b(SVC_SERVICE_MANAGEMENT_[A-Z0-9_]+)\b/g)).toEqual(inSource);
});
