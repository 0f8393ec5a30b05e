import { expect, test } from "vitest";
import { appKind } from "../../../src/core/running/code-evidence.ts";

test.each([
  [{ autorestart: true, cronRestart: null }, "service"],
  [{ autorestart: true, cronRestart: "digest" }, "service"],
  [{ autorestart: false, cronRestart: "digest" }, "job"],
  [{ autorestart: false, cronRestart: null }, "task"],
  [{}, "service"],
])("%o is a %s", (settings, kind) => {
  expect(appKind(settings)).toBe(kind);
});
