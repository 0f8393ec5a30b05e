import { expect, test } from "vitest";
import { withoutEcosystem } from "../../../src/commands/terminal/without-ecosystem.ts";

const ANSWER = { environment: "dev", path: "/shop/svcm.yaml" };

test("if an environment has no ecosystem file, the error lists the environments that have one", () => {
  expect(withoutEcosystem(ANSWER, ["staging", "production"], undefined)).toBe(
    "dev has no ecosystem file: svcm looked for /shop/svcm.yaml\n" +
      "These environments have one: staging, production.\n" +
      "Hint: choose one with --environment, for example --environment staging",
  );
});

test("if no environment has an ecosystem file, the hint names svcm init or the settings", () => {
  expect(withoutEcosystem(ANSWER, [], "Found here: pm2.json. To use them, run: svcm init")).toContain("svcm init");
  expect(withoutEcosystem(ANSWER, [], undefined)).toContain("SVC_SERVICE_MANAGEMENT_PM2_DIR");
});
