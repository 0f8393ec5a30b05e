import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EXIT_CODES, SETTINGS } from "../../scripts/reference/settings.ts";
import { errorTable } from "../../src/core/api/errors.ts";
import { catalog, findCodeDoc } from "../../src/core/setup/codes/catalog.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const FAMILY =
  /^(?:ENV|PROFILE|STARTUP|FACT|YAML|JSON|INPUT|SUITE|CONFIG|TARGET|INTERFACE|ECOSYSTEM|CODE|REVISION|GIT|PM2|PROCESS|PROJECT|KEYS?|START|STOP|RESTART|SELF|ALREADY|APP|ASYNC)_/;

function sources(folder: string, except = /^$/): string {
  const files = readdirSync(root + folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const kept = files.filter((file) => !except.test(file));
  return kept.map((file) => readFileSync(`${root}${folder}/${file}`, "utf8")).join("\n");
}

function words(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].toSorted();
}

test("the catalog documents exactly the codes of the source", () => {
  const variables = [
    "PM2_HOME",
    "PM2_PROGRAMMATIC",
    "PM2_DISABLE_VERSION_CHECK",
    "PM2_JSON_PROCESSING",
    "PM2_SERVE_",
    "PM2_SERVE_PORT",
  ];
  const noCodes = new Set(variables);
  const quoted = words(sources("src", /^core\/setup\/codes\//), /"([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/g).filter((code) =>
    FAMILY.test(code),
  );
  const inSource = quoted.filter((code) => !noCodes.has(code));
  const documented = Object.values(catalog)
    .flatMap(Object.keys)
    .filter((code) => FAMILY.test(code))
    .toSorted();
  expect(documented).toEqual(inSource);
});

const documented = Object.values(catalog).flatMap((codes) => Object.entries(codes));

test.each(documented)("%s names a next step that differs from its summary and explanation", (_code, doc) => {
  const { summary, explanation = "", remedy } = doc;
  expect(remedy).toMatch(/^[A-Z].*[.]$/s);
  expect([summary, explanation]).not.toContain(remedy);
  expect(new Set([summary, explanation, remedy]).size).toBe(3);
});

/** This page compares svcm with PM2's own program. */
const OF_PM2 = "PM2_VERSION_UNTESTED";

test.each(documented.filter(([code]) => code !== OF_PM2))("%s names svcm's command, not PM2's", (_code, { remedy }) => {
  // An installation may have no pm2 in the PATH.
  expect(remedy).not.toMatch(/`pm2 (?:delete|describe|list|logs|ls|monit|reload|restart|show|status|stop)\b/);
});

test("every kind of refusal is documented, also if its errors have no code", () => {
  expect(Object.keys(errorTable).filter((kind) => findCodeDoc(kind) === undefined)).toEqual([]);
});

test("the reference lists exactly the variables that the source reads", () => {
  const named =
    /\b((?:SVC_SERVICE_MANAGEMENT|SVCM)_[A-Z0-9_]+|NO_COLOR|FORCE_COLOR|XDG_CACHE_HOME|VISUAL|EDITOR|PM2_HOME|NODE_ENV|CI)\b/g;
  const listed = Object.values(SETTINGS).flatMap(Object.keys).toSorted();
  expect(words(sources("src"), named)).toEqual(listed);
});

test("the reference explains every exit code", () => {
  const used = new Set(Object.values(errorTable).map(({ exitCode }) => exitCode));
  expect([...used].filter((code) => EXIT_CODES[code] === undefined)).toEqual([]);
});
