/** Deploys of single services: a rollback of one of them leaves `current` to the apps that run where it leads. */
import { expect, test } from "vitest";
import { decideLink } from "../../../src/core/rollout/apply/rollback-link.ts";
import type { ReleaseHead } from "../../../src/core/rollout/release.ts";
import { record } from "../../support/process-record.ts";

const root = "/srv/shop";
const [first, second, third] = ["20261129080001-1111111", "20261129080002-2222222", "20261129080003-3333333"];
const path = `${root}/current`;
const folder = (id: string): string => `${root}/releases/${id}`;
const at = (name: string, id: string) =>
  record({ name, cwd: folder(id), script: `${folder(id)}/app.cjs`, status: "online" });

/** It took worker from the first release to the second. */
const undone: ReleaseHead = {
  event: "release",
  id: "20261129-080002-b8f9",
  plan: "7f3a-9c21",
  environment: "production",
  startedAt: "2026-11-29T08:00:02.000Z",
  source: "cli",
  git: null,
  steps: [{ do: "update", app: "worker", pmIds: [1] }],
  before: [
    { name: "worker", pmId: 1, uniqueId: "u1", pid: 1, isStopped: false, definition: "", paths: [folder(first)] },
  ],
  left: { apps: {} },
  deploy: { id: second, root, subject: "two", former: first },
};
const to = `releases/${first}`;
const decide = (web: string, worker: string, current: string, more: object = {}) =>
  decideLink(undone, {
    link: current === first ? undefined : { path, from: `releases/${current}`, to },
    returning: ["worker"],
    staying: [],
    running: [at("web", web), at("worker", worker)],
    ...more,
  });

test("the newest deploy returns to the link before it", () => {
  const current = { path, from: `releases/${second}`, to };
  expect(decide(first, second, second)).toEqual({ current });
  expect(decide(second, second, second)).toEqual({ current, apart: ["web"] });
  expect(decide(first, second, first)).toEqual({});
});

test("an older deploy leaves the link to the apps of a newer one", () => {
  expect(decide(third, third, third)).toEqual({
    stays: { path, at: `releases/${third}`, apps: ["web"] },
    apart: ["worker"],
  });
  // The newer one has not moved the link.
  expect(decide(third, second, second)).toEqual({ current: { path, from: `releases/${second}`, to }, apart: ["web"] });
  expect(decide(first, third, third)).toEqual({ current: { path, from: `releases/${third}`, to } });
});

test("apps that the request leaves hold the link, and those that return are named", () => {
  expect(decide(second, second, second, { staying: ["web"] })).toEqual({
    stays: { path, at: `releases/${second}`, apps: ["web"] },
    apart: ["worker"],
  });
  expect(
    decideLink({ ...undone, deploy: undefined }, { link: undefined, returning: [], staying: [], running: [] }),
  ).toEqual({});
});
