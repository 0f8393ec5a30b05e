/** A commit that was prepared before is not built again, if its folder is still that commit. PM2 does not run. */
import { expect, test } from "vitest";
import { findPrepared } from "../../../src/core/deploy/find-code.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { toDeployRecord, type DeployEvent } from "../../../src/core/deploy/record.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const at = "2026-11-27T08:05:01.000Z";
const ID = "20261127080501-4a91c77";
const commit = "4a91c77".padEnd(40, "0");
const head: DeployEvent = {
  event: "begin",
  id: ID,
  commit,
  subject: "",
  revision: "main",
  source: "",
  environment: "dev",
  spellings: [],
  by: { source: "cli" },
  at,
  checkout: "/srv",
  prefix: "",
};
const done: DeployEvent[] = [
  head,
  { event: "prepared", at, bytes: 1, files: 1 },
  { event: "apply", at },
  { event: "end", outcome: "done", at },
];

interface Found {
  readonly changed?: readonly string[];
  readonly current?: string | null;
  readonly exists?: boolean;
  /** Without an app, the plan of the folder has no step. */
  readonly hasApp?: boolean;
  readonly events?: readonly DeployEvent[];
}

async function find({ changed = [], current = ID, exists = true, hasApp = false, events = done }: Found) {
  const apps = hasApp ? '{ name: "web", script: "./app.cjs" }' : "";
  const { ports } = makeWorkspace({
    "pm2/ecosystem.dev.config.cjs": `module.exports = { apps: [${apps}] };`,
    "app.cjs": "",
  });
  const notes: string[] = [];
  const root = {
    layout: layoutOf("/srv/d"),
    records: async () => [toDeployRecord(events)],
    exists: async () => exists,
    changedFiles: async () => changed,
    current: async () => current,
  };
  const context = { ports, root, notes, caller: {}, deploys: { world: () => ports }, environment: "dev" };
  const record = await findPrepared(context as never, { commit } as never);
  return [record?.id, notes.map((one) => one.replaceAll(/^.*(RELEASE_CHANGED|It stays as it is).*$/g, "$1"))];
}

test.each<[string, Found, unknown]>([
  ["as it was prepared", {}, [ID, []]],
  ["as it was prepared, although its apps do not run", { hasApp: true, current: null }, [ID, []]],
  ["gone", { exists: false }, [undefined, []]],
  ["not whole", { events: [head] }, [undefined, []]],
  ["changed, and its apps run it as it is", { changed: ["a.js"] }, [ID, ["RELEASE_CHANGED"]]],
  ["changed since its apps started", { changed: ["a.js"], hasApp: true }, [undefined, ["It stays as it is"]]],
  ["changed, and not the present one", { changed: ["a.js"], current: null }, [undefined, ["It stays as it is"]]],
])("a folder that is %s", async (_, found, expected) => {
  expect(await find(found)).toEqual(expected);
});
