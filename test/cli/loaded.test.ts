/** A short command loads little of the build, because each loaded chunk makes its start slower. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { LAYERED } from "../support/layered.ts";
import { makeWorkspace } from "../support/workspace.ts";

/** Lists every loaded chunk and whether its compiled code came from the cache. */
const SPY = `
  const vm = require("node:vm"), { Script } = vm, seen = [];
  vm.Script = class extends Script {
    constructor(source, options) {
      super(source, options);
      seen.push({ chunk: options.filename.replace("svcm/", ""), isKept: this.cachedDataRejected === false });
    }
  };
  process.on("exit", () => require("node:fs").writeFileSync(process.env.SEEN, JSON.stringify(seen)));
`;
/** Of chunks with code of svcm. */
const MAX_BYTES = 195_000;

interface Loaded {
  readonly chunk: string;
  readonly isKept: boolean;
}

function loadedBy(argv: readonly string[], files?: Readonly<Record<string, string>>): Loaded[] {
  const { root } = makeWorkspace(files);
  const [spy, seen] = [join(root, "spy.cjs"), join(root, "seen.json")];
  writeFileSync(spy, SPY);
  const env = plainEnvironment({ HOME: root, SEEN: seen });
  for (const _ of ["the start that fills the cache", "the start that uses it"]) {
    const { status } = spawnSync(process.execPath, ["--require", spy, RUN, ...argv], { cwd: root, env });
    expect(status).toBe(0);
  }
  return JSON.parse(readFileSync(seen, "utf8")) as Loaded[];
}

function modulesOf({ chunk }: Loaded): string[] {
  const map = join(REPOSITORY, `${chunk}.map`);
  return existsSync(map) ? (JSON.parse(readFileSync(map, "utf8")) as { sources: string[] }).sources : [];
}

test.each([
  ["svcm env get", ["env", "get"], undefined],
  ["svcm env get --json", ["env", "get", "--json"], undefined],
  ["svcm env get with svcm.yaml", ["env", "get"], LAYERED],
])("%s loads compiled code, and only a little of it", (_, argv, files) => {
  const loaded = loadedBy(argv, files);
  expect(loaded.filter(({ isKept }) => !isKept)).toEqual([]);
  const modules = loaded.flatMap(modulesOf);
  expect(modules).toContainEqual(expect.stringMatching(/src\/core\/env\/operations\/env-read\.ts$/));
  expect(
    modules.filter((name) =>
      /node_modules\/zod|@nats-io|@modelcontextprotocol|src\/fleet|src\/mcp|core\/approvals|core\/(?:metrics|deployments|pm2\/(?!pm2-names|state-place))/.test(
        name,
      ),
    ),
  ).toEqual([]);
  const own = loaded.filter((each) => modulesOf(each).some((name) => !name.includes("node_modules")));
  const bytes = own.map(({ chunk }) => statSync(join(REPOSITORY, chunk)).size).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeLessThan(MAX_BYTES);
});

test("no command but svcm mcp, skill and serve can load the code for programs", () => {
  const dist = join(REPOSITORY, "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".cjs"));
  const forPrograms = files.filter((name) =>
    modulesOf({ chunk: `dist/${name}`, isKept: true }).some((module) =>
      /src\/mcp\/|@modelcontextprotocol/.test(module),
    ),
  );
  expect(forPrograms).toEqual(expect.arrayContaining(["chunks/mcp.cjs"]));
  const users = files.filter((name) => {
    const text = readFileSync(join(dist, name), "utf8");
    return forPrograms.some((chunk) => text.includes(`/${basename(chunk)}"`));
  });
  expect(users.toSorted()).toEqual(["chunks/mcp.cjs", "commands/mcp.cjs", "commands/serve.cjs", "commands/skill.cjs"]);
});

test("svcm serve on one machine loads no code of the fleet and of programs", async () => {
  const { root } = makeWorkspace();
  const [spy, seen] = [join(root, "spy.cjs"), join(root, "seen.json")];
  writeFileSync(spy, SPY);
  const env = plainEnvironment({ HOME: root, SEEN: seen, SVC_SERVICE_MANAGEMENT_LOG_LEVEL: "silent" });
  const server = spawn(process.execPath, ["--require", spy, RUN, "serve", "--port", "0"], { cwd: root, env });
  const ended = once(server, "exit");
  await once(server.stdout, "data");
  server.kill("SIGTERM");
  await ended;
  const modules = (JSON.parse(readFileSync(seen, "utf8")) as Loaded[]).flatMap(modulesOf);
  expect(modules).toContainEqual(expect.stringMatching(/src\/server\/start\.ts$/));
  expect(modules.filter((name) => /@nats-io|src\/fleet|@modelcontextprotocol|src\/mcp/.test(name))).toEqual([]);
});
