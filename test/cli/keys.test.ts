import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { svcm, type RunResult } from "../support/svcm.ts";
import { makeWorkspace, type TestWorkspace } from "../support/workspace.ts";

const CANARY = "canary-7c1d";
const PROJECT = `# ours
version: 1
environments: { dev: [] }
env: { dev: .env }
keys:
  PORT: { kind: port, tier: read-only, guess: its value is a port } # the port
  LOG_LEVEL: { kind: enum, values: [debug, info], tier: read-only }
  REGION:
    kind: text
    tier: read-only
    # svcm says:
    guess: it is a name

  RPC_URL: { kind: secret, guess: "such addresses often carry a key" }
  HOST: { kind: text }
`;

function repository(project = PROJECT): TestWorkspace {
  const env = `PORT=3000\nLOG_LEVEL=info\nREGION=eu\nRPC_URL=https://rpc.example/${CANARY}\nHOST=localhost\n`;
  return makeWorkspace({ "svcm.yaml": project, ".env": env });
}

async function keys(workspace: TestWorkspace, ...args: string[]): Promise<RunResult> {
  const ran = await svcm(["keys", ...args], { root: workspace.root });
  expect(ran.stdout + ran.stderr).not.toContain(CANARY);
  return ran;
}

const sourcesIn = async (workspace: TestWorkspace): Promise<Record<string, string>> => {
  const { stdout } = await keys(workspace, "list", "--json");
  const { keys: listed } = JSON.parse(stdout) as {
    keys: { key: string; source: string; kind: string; tier: string }[];
  };
  return Object.fromEntries(listed.map(({ key, kind, tier, source }) => [key, `${kind} ${tier} ${source}`]));
};

describe("svcm keys list", () => {
  test("has the kind, the tier and the source of each key", async () => {
    expect(await sourcesIn(repository())).toEqual({
      PORT: "port read-only guess",
      LOG_LEVEL: "enum read-only svcm.yaml",
      REGION: "text read-only guess",
      RPC_URL: "secret never-exposed guess",
      HOST: "text never-exposed svcm.yaml",
    });
    expect((await keys(repository(), "list")).stdout).toContain(
      "3 keys are guesses of svcm init. To confirm: svcm keys confirm KEY",
    );
  });

  test("names the packaged contract or the repository's own as the source", async () => {
    expect((await sourcesIn(makeWorkspace({})))["SVC_HTTP_FRAMEWORK"]).toBe("enum editable packaged");
    const own =
      "version: 1\nenvironments: { dev: { file: .env } }\ndefaultEnvironment: dev\nkeys: { A: { kind: text } }\n";
    const workspace = makeWorkspace({ "config/runtime-contract.yaml": own });
    expect(await sourcesIn(workspace)).toEqual({ A: "text never-exposed config/runtime-contract.yaml" });
  });
});

describe("svcm env get", () => {
  test("marks guessed keys and counts them, and prints a value alone without a mark", async () => {
    const { root } = repository();
    const { stdout } = await svcm(["env", "get"], { root });
    expect(stdout).toMatch(/^PORT \? +3000 +read-only$/m);
    expect(stdout).toMatch(/^LOG_LEVEL +info +read-only$/m);
    expect(stdout).toContain("2 keys are guesses of svcm init.");
    expect((await svcm(["env", "get", "PORT"], { root })).stdout).toBe("3000\n");
  });
});

describe("a guess does not outlive its reason", () => {
  const address = "https://eth.example.com/v2/aB3dE5fG7hJ9kL2mN4pQ6rS8tU0vW1xY";
  const guessed = (guess: string): TestWorkspace =>
    makeWorkspace({
      "svcm.yaml": `version: 1\nenvironments: { dev: [] }\nenv: { dev: .env }\nkeys: { API_URL: { kind: url, tier: read-only${guess} } }\n`,
      ".env": `API_URL=${address}\n`,
    });
  test.each([[["env", "get"]], [["env", "get", "API_URL"]], [["env", "get", "--json"]], [["env", "export"]]])(
    "%j hides a value that looks like a secret until the key is confirmed",
    async (args) => {
      const hidden = await svcm(args, guessed(", guess: its value is a URL without a key"));
      expect(hidden.stdout + hidden.stderr).not.toContain("aB3dE5fG");
      expect((await svcm(args, guessed(""))).stdout).toContain(address);
    },
  );
});

describe("an edit of svcm.yaml", () => {
  test.each([
    [["confirm", "PORT"], [[", guess: its value is a port", ""]]],
    [["confirm", "RPC_URL"], [[', guess: "such addresses often carry a key"', ""]]],
    [["confirm", "PORT", "PORT", "HOST"], [[", guess: its value is a port", ""]]],
    [["allow", "LOG_LEVEL"], [["info], tier: read-only", "info], tier: editable"]]],
    [["allow", "PORT"], [["tier: read-only, guess: its value is a port", "tier: editable"]]],
    [["allow", "HOST", "--read-only"], [["{ kind: text }", "{ kind: text, tier: read-only }"]]],
    [["hide", "LOG_LEVEL"], [["info], tier: read-only", "info], tier: never-exposed"]]],
    [
      ["add", "MAX_ITEMS", "--kind", "number"],
      [["HOST: { kind: text }\n", "HOST: { kind: text }\n  MAX_ITEMS: { kind: number, tier: read-only }\n"]],
    ],
    [["add", "API_TOKEN"], [["HOST: { kind: text }\n", "HOST: { kind: text }\n  API_TOKEN: { kind: secret }\n"]]],
    [
      ["add", "MODE", "--values", "a, b", "--allow"],
      [["HOST: { kind: text }\n", "HOST: { kind: text }\n  MODE: { kind: enum, values: [ a, b ], tier: editable }\n"]],
    ],
    [["set-tier", "editable", "LOG_LEVEL"], [["info], tier: read-only", "info], tier: editable"]]],
    [["set-tier", "editable", "PORT"], [["tier: read-only, guess: its value is a port", "tier: editable"]]],
    [["set-tier", "read-only", "HOST"], [["{ kind: text }", "{ kind: text, tier: read-only }"]]],
    [["set-tier", "never-exposed", "LOG_LEVEL"], [["info], tier: read-only", "info], tier: never-exposed"]]],
  ])("svcm keys %j changes only the properties of those keys", async (args, replacements) => {
    const workspace = repository();
    expect(await keys(workspace, ...args)).toMatchObject({ code: 0, stderr: "" });
    const expected = replacements.reduce((text, [from = "", to = ""]) => text.replace(from, to), PROJECT);
    expect(workspace.read("svcm.yaml")).toBe(expected);
    expect(expected).not.toBe(PROJECT);
  });

  test("confirms every guess with --all and keeps the other lines; a second run writes nothing", async () => {
    const workspace = repository();
    expect((await keys(workspace, "confirm", "--all")).stdout).toBe("Confirmed in svcm.yaml: PORT, REGION, RPC_URL\n");
    const text = workspace.read("svcm.yaml");
    expect(text).not.toContain("guess:");
    for (const line of ["# ours", "  REGION:", "    kind: text", "  HOST: { kind: text }"])
      expect(text).toContain(`${line}\n`);
    const before = workspace.read(".svcm/audit.jsonl");
    expect((await keys(workspace, "confirm", "--all")).stdout).toBe("No change in svcm.yaml.\n");
    expect([workspace.read("svcm.yaml"), workspace.read(".svcm/audit.jsonl")]).toEqual([text, before]);
  });

  test("is recorded with its keys", async () => {
    const { root, ...workspace } = repository();
    await keys({ root, ...workspace }, "confirm", "PORT");
    await keys({ root, ...workspace }, "set-tier", "editable", "LOG_LEVEL");
    const records = readFileSync(`${root}/.svcm/audit.jsonl`, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(records).toMatchObject([
      { action: "keys.confirm", keys: ["PORT"], outcome: "started" },
      { action: "keys.confirm", keys: ["PORT"], outcome: "succeeded" },
      { action: "keys.set-tier", keys: ["LOG_LEVEL"], outcome: "started" },
      { action: "keys.set-tier", keys: ["LOG_LEVEL"], outcome: "succeeded" },
    ]);
  });

  test("with --dry-run shows the lines and writes nothing", async () => {
    const workspace = repository();
    const { stdout } = await keys(workspace, "set-tier", "editable", "LOG_LEVEL", "--dry-run");
    expect(stdout).toContain("+  LOG_LEVEL: { kind: enum, values: [debug, info], tier: editable }");
    expect(workspace.read("svcm.yaml")).toBe(PROJECT);
  });

  test("keeps the byte order mark and the line endings of the file", async () => {
    const workspace = repository(`\uFEFF${PROJECT.replaceAll("\n", "\r\n")}`);
    const before = workspace.read("svcm.yaml");
    await keys(workspace, "confirm", "PORT");
    expect(workspace.read("svcm.yaml")).toBe(before.replace(", guess: its value is a port", ""));
  });

  test("never shows a key with the name of a secret", async () => {
    const workspace = repository(`${PROJECT}  API_TOKEN: { kind: text }\n`);
    const ran = await keys(workspace, "set-tier", "read-only", "API_TOKEN");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/keys\.API_TOKEN\.tier: read-only would show a secret/);
    expect(workspace.read("svcm.yaml")).not.toContain("API_TOKEN: { kind: text, tier");
  });

  test("a key that init hid because nothing is known of it becomes text when a user allows it; another secret does not", async () => {
    const guesses = `  GREETING: { kind: secret, guess: neither its name nor its value says what it is }\n  PIN: { kind: secret }\n  DATABASE_URL: { kind: connection-url }\n`;
    const workspace = repository(`${PROJECT}${guesses}`);
    const refused = await svcm(["env", "set", "GREETING=hello"], { root: workspace.root });
    expect(refused.stderr).toContain("If it holds no secret: svcm keys allow GREETING");
    expect(await keys(workspace, "allow", "GREETING", "GREETING")).toMatchObject({ code: 0, stderr: "" });
    expect(workspace.read("svcm.yaml")).toContain("  GREETING: { kind: text, tier: editable }\n");
    expect((await svcm(["env", "set", "GREETING=hello"], { root: workspace.root })).code).toBe(0);
    for (const key of ["PIN", "RPC_URL", "DATABASE_URL"]) {
      const ran = await keys(workspace, "allow", key, "--read-only");
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`such as ${key}: { kind: text }`)]);
    }
    expect(workspace.read("svcm.yaml")).toContain("PIN: { kind: secret }");
  });

  test("makes the key editable for svcm env set", async () => {
    const workspace = repository();
    await keys(workspace, "set-tier", "editable", "LOG_LEVEL");
    expect((await svcm(["env", "set", "LOG_LEVEL=debug"], { root: workspace.root })).code).toBe(0);
    expect(workspace.read(".env")).toContain("LOG_LEVEL=debug");
  });

  test.each([
    ["allow", "add"],
    ["add", "allow"],
  ])("%s, then %s: each refusal names the command that permits", async (...order) => {
    const workspace = repository();
    const set = ["env", "set", "PAGE_SIZE=50"];
    const refused = await svcm(set, { root: workspace.root });
    expect(refused.stderr).toContain("svcm keys add PAGE_SIZE --allow");
    if (order[0] === "allow")
      expect((await keys(workspace, "allow", "PAGE_SIZE")).stderr).toContain("To declare it: svcm keys add PAGE_SIZE");
    await keys(workspace, "add", "PAGE_SIZE", "--kind", "number");
    expect((await svcm(set, { root: workspace.root })).stderr).toContain("svcm keys allow PAGE_SIZE");
    expect((await keys(workspace, "add", "PAGE_SIZE")).stderr).toContain("svcm keys allow PAGE_SIZE");
    expect((await keys(workspace, "allow", "PAGE_SIZE")).stdout).toContain("Next: svcm env set PAGE_SIZE=VALUE");
    expect((await svcm(set, { root: workspace.root })).code).toBe(0);
  });

  test("edits config/runtime-contract.yaml where that file declares the keys", async () => {
    const own =
      "version: 1\nenvironments: { dev: { file: .env } }\ndefaultEnvironment: dev\nkeys:\n  A: { kind: text, tier: read-only } # a\n";
    const workspace = makeWorkspace({ "config/runtime-contract.yaml": own });
    expect((await svcm(["env", "set", "A=1"], { root: workspace.root })).stderr).toContain("svcm keys allow A");
    expect((await keys(workspace, "allow", "A")).stdout).toContain("Now editable in config/runtime-contract.yaml: A");
    await keys(workspace, "add", "B", "--kind", "port");
    expect(workspace.read("config/runtime-contract.yaml")).toBe(
      `${own.replace("read-only", "editable")}  B: { kind: port, tier: read-only }\n`,
    );
  });

  test("adds the first key to an empty list, and to none in a file of another tool", async () => {
    const empty = repository("version: 1\nenvironments: { dev: [] }\nkeys: {}\n");
    expect((await keys(empty, "add", "PORT", "--allow")).code).toBe(0);
    expect(empty.read("svcm.yaml")).toMatch(/^keys: \{ ?PORT: \{ kind: port, tier: editable \} ?\}$/m);
    const packaged = await keys(makeWorkspace({}), "add", "PORT");
    expect([packaged.code, packaged.stderr]).toEqual([1, expect.stringContaining("svcm init")]);
  });

  test.each([
    [["allow"], 2, /KEY is missing/],
    [["hide", "PROT"], 1, /does not declare the key PROT.*\(did you mean PORT\?\)/s],
    [["allow", "RPC_URL"], 1, /neither shows nor writes a secret/],
    [["add", "PORT"], 1, /declares PORT already \(port, read-only\)/],
    [["add", "API_TOKEN", "--allow"], 1, /accepted: never-exposed/],
    [["add", "API_TOKEN", "--kind", "text"], 1, /would show a secret/],
    [["add", "MODE", "--values", "a", "--kind", "enum"], 2, /values/],
    [["confirm"], 2, /No key was given\. Accepted: KEY or --all\./],
    [["confirm", "--all", "PORT"], 2, /Both keys and --all were given\./],
    [["confirm", "PROT"], 1, /svcm\.yaml does not declare the key PROT.*\(did you mean PORT\?\)/s],
    [
      ["set-tier", "open", "PORT"],
      2,
      /None of these is a tier: open, PORT\. Accepted: editable, read-only, never-exposed\.\s+Hint: svcm keys list shows/,
    ],
    [["set-tier", "PORT", "edtable"], 2, /Hint: svcm keys set-tier editable PORT\n/],
    [["set-tier", "readonly", "PORT", "HOST"], 2, /Hint: svcm keys set-tier read-only PORT HOST\n/],
    [["set-tier", "PORT", "HOST"], 2, /Hint: svcm keys set-tier editable PORT HOST\n/],
    [["set-tier", "editable"], 2, /No key was given/],
    [["set-tier", "editable", "NOPE", "PORT"], 1, /does not declare the key NOPE/],
    [["set-tier", "read-only", "RPC_URL"], 1, /neither shows nor writes a secret/],
  ])("svcm keys %j is refused, and changes nothing", async (args, code, words) => {
    const workspace = repository();
    const ran = await keys(workspace, ...args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(words);
    expect(workspace.read("svcm.yaml")).toBe(PROJECT);
  });

  test.each([
    [
      "without keys",
      "version: 1\nenvironments: { dev: [] }\n",
      /those of the packaged contract.*Add the line "keys: {}"/s,
    ],
    ["that is not valid", `${PROJECT}colour: red\n`, /svcm\.yaml:\d+:1/],
  ])("of a svcm.yaml %s is refused", async (_, project, words) => {
    const ran = await keys(repository(project), "confirm", "--all");
    expect([1, 3]).toContain(ran.code);
    expect(ran.stderr).toMatch(words);
  });
});

test("a refused key is in the audit log with its name and its code, and equal attempts are one row", async () => {
  const workspace = repository();
  for (let turn = 0; turn < 3; turn += 1) await keys(workspace, "allow", "NOPE");
  const { stdout } = await svcm(["audit"], { root: workspace.root });
  expect(stdout).toMatch(/ NOPE .* refused 3 times \(KEY_NOT_DECLARED\)$/m);
  expect(stdout.match(/NOPE/g)).toHaveLength(1);
  const { stdout: json } = await svcm(["audit", "--json"], { root: workspace.root });
  expect((JSON.parse(json) as { records: object[] }).records).toHaveLength(3);
});

test("svcm keys list begins with the number of keys of each tier", async () => {
  const { stdout } = await keys(repository(), "list");
  expect(stdout).toMatch(/^5 keys: \d+ [\w-]+, /);
});
