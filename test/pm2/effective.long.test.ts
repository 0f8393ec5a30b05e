/** The other modes and actions of `effective.test.ts`. */
import { test } from "vitest";
import { declaredApps } from "./declared-apps.ts";

const { expectEffective } = declaredApps();

test("in fork mode, a reload makes the whole declaration effective", () => expectEffective("fork", "reload", {}));

test("in cluster mode, a restart makes the whole declaration effective", () =>
  expectEffective("cluster", "restart", { exec_mode: "cluster", instances: 1, merge_logs: true }));
