import { test } from "vitest";
import { declaredApps } from "./declared-apps.ts";

const { expectEffective } = declaredApps();

test("in fork mode, a reload applies the whole declaration", () => expectEffective("fork", "reload", {}));

test("in cluster mode, a restart applies the whole declaration", () =>
  expectEffective("cluster", "restart", { exec_mode: "cluster", instances: 1, merge_logs: true }));
