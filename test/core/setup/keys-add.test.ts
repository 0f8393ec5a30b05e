/** The entry that a new key gets in svcm.yaml. In doubt, it is a secret. */
import { expect, test } from "vitest";
import { execute, keysAdd, nodePorts, type Caller } from "../../../src/core/index.ts";
import { parseYaml } from "../../../src/core/yaml/parse.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", grants: ["read", "write"] };
const DOCUMENT =
  "version: 1\nenvironments: { dev: [] }\nenv: { dev: .env }\nkeys:\n  PORT: { kind: port, tier: editable }\n";

type Wish = Partial<Parameters<typeof keysAdd.run>[1]>;

test.each<[string, Wish, object]>([
  ["API_SECRET", {}, { kind: "secret" }],
  ["DATABASE_URL", {}, { kind: "connection-url" }],
  ["LOG_LEVEL", {}, { kind: "text", tier: "read-only" }],
  ["LOG_LEVEL", { editable: true }, { kind: "text", tier: "editable" }],
  ["LOG_LEVEL", { values: ["a", "b"] }, { kind: "enum", values: ["a", "b"], tier: "read-only" }],
  ["LOG_LEVEL", { kind: "boolean" }, { kind: "boolean", tier: "read-only" }],
  ["FLAVOUR", {}, { kind: "secret" }],
  ["FLAVOUR", { editable: true }, { kind: "text", tier: "editable" }],
])("%s with the wish %j is declared as %j", async (key, wish, expected) => {
  const workspace = makeWorkspace({ "svcm.yaml": DOCUMENT, ".env": "PORT=1\n" });
  const input = { keys: [key], editable: false, dryRun: false, ...wish };
  await execute(keysAdd, workspace.ports, input, caller);
  const { value } = parseYaml(workspace.read("svcm.yaml"), "svcm.yaml");
  expect((value as { keys: object }).keys).toEqual({ PORT: { kind: "port", tier: "editable" }, [key]: expected });
});

test("a secret that is to be editable is refused, and nothing is written", async () => {
  const workspace = makeWorkspace({ "svcm.yaml": DOCUMENT, ".env": "PORT=1\n" });
  const input = { keys: ["API_SECRET"], editable: true, dryRun: false };
  const ports = nodePorts({ root: workspace.root, env: {}, cwd: workspace.root });
  await expect(execute(keysAdd, ports, input, caller)).rejects.toMatchObject({ kind: "INVALID_PAYLOAD" });
  expect(workspace.read("svcm.yaml")).toBe(DOCUMENT);
});
