import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as core from "../../src/core/index.ts";
import { selectNodes, SvcmError, remoteOperations } from "../../src/core/index.ts";
import { REPOSITORY } from "../support/command-line.ts";

const FOLDER = join(REPOSITORY, "src/commands");
const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(FOLDER, name), "utf8"));

const carriedOut = sources
  .filter((text) => /extends NodeCommand|node: nodeFlag|command\.execute\(process/.test(text))
  .flatMap((text) =>
    Array.from(text.matchAll(/\bexecute(?:UntilStopped|Aloud)?\((?:this, )?(\w+),/g), ([, name = ""]) => name),
  );

const exported = new Map<string, unknown>(Object.entries(core));

test("a node answers every operation of the commands that have --node", () => {
  expect(carriedOut.length).toBeGreaterThan(25);
  const known: readonly unknown[] = remoteOperations;
  // Mutes and notes are kept on this machine, and a command for a node does not read them.
  expect(carriedOut.filter((name) => !known.includes(exported.get(name)))).toEqual(["markList"]);
});

test("every operation that a node answers has a command with --node, with five exceptions", () => {
  /** These operations belong to the list of nodes, to metrics over HTTP and to the console. */
  const others = ["contract.show", "env.write", "identity.show", "metrics.expose", "node.show"];
  const ids = new Set(carriedOut.map((name) => (exported.get(name) as { readonly id: string }).id));
  expect(remoteOperations.map(({ id }) => id).filter((id) => !ids.has(id))).toEqual(others);
});

const NODES = [
  { name: "web-1", labels: { role: "api", region: "eu" } },
  { name: "web-2", labels: { role: "api", region: "us" } },
  { name: "db-1", labels: { role: "db", region: "eu" } },
];
const chosen = (...selectors: string[]): string =>
  selectNodes(NODES, selectors)
    .map(({ name }) => name)
    .join(" ");

test.each([
  [["all"], "web-1 web-2 db-1"],
  [["web-2"], "web-2"],
  [["role=api"], "web-1 web-2"],
  [["role=api,region=eu"], "web-1"],
  [["db-1", "web-1", "region=eu"], "db-1 web-1"],
])("the selectors %j select the nodes %s, each once and in the order of the selectors", (selectors, names) => {
  expect(chosen(...selectors)).toBe(names);
});

test.each(["web-3", "role", "role=", "role=api,", "toString=api", "region=api", ""])(
  "the selector %j means no node, and the refusal lists the accepted ones",
  (selector) => {
    expect(() => chosen("all", selector)).toThrow(SvcmError);
    expect(() => chosen("all", selector)).toThrow("Accepted: all, web-1, web-2, db-1, role=api, region=eu");
  },
);
