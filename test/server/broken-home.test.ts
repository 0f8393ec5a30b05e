/** A PM2_HOME that cannot be one is a state of the machine, never a defect of svcm. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { routes } from "../../src/server/routes.ts";
import { everyThirdOrAll } from "../support/runs.ts";
import { ask, post, repository, testServer } from "./support.ts";

const posts: readonly (readonly [path: string, body: object])[] = [
  ["/api/logs/prune", { apply: false }],
  ["/api/runtime/apply", { plan: "0000-0000" }],
  ["/api/runtime/rollback", { plan: "0000-0000", release: "20260101-000000-0000" }],
  ["/api/runtime/process/run", { name: "api" }],
  ["/api/marks/mute", { subject: "api", until: "1h" }],
];

const homes: readonly (readonly [what: string, spoil: (home: string) => void])[] = [
  ["a file", (home: string) => writeFileSync(home, "x")],
  ["below a file", (home: string) => writeFileSync(join(home, ".."), "x")],
  [
    "a folder whose files are folders",
    (home: string) => {
      for (const name of ["dump.pm2", "pm2.log", "pm2.pid", "rpc.sock", "logs/x-out.log"])
        mkdirSync(join(home, name), { recursive: true });
    },
  ],
  [
    "a folder whose folders are files",
    (home: string) => {
      mkdirSync(home);
      for (const name of ["logs", "svcm", "pids", ".svcm", "modules"]) writeFileSync(join(home, name), "x");
    },
  ],
];

test.each(everyThirdOrAll(homes))("no route answers with a defect if PM2_HOME is %s", async (what, spoil) => {
  const files = repository();
  const home = join(files.root, what === "below a file" ? "file/pm2" : "pm2");
  spoil(home);
  const server = await testServer({ repository: files, env: { PM2_HOME: home } });
  const queries: Readonly<Record<string, string>> = {
    "/api/runtime/env/diff": "?from=dev&to=staging",
    "/api/runtime/process": "?name=api",
  };
  const answers = [];
  for (const { method, path } of routes)
    if (method === "GET") answers.push([path, await ask(server, `${path}${queries[path] ?? ""}`)] as const);
  for (const environment of ["dev", "staging"])
    answers.push([environment, await ask(server, `/api/runtime/plan?environment=${environment}`)] as const);
  for (const [path, body] of posts) answers.push([path, await post(server, body, {}, path)] as const);
  const defects = answers.filter(([, { text }]) => text.includes('"DEFECT"'));
  expect(defects.map(([path]) => path)).toEqual([]);
  expect(server.log.filter((line) => line.includes('"stack"'))).toEqual([]);
});
