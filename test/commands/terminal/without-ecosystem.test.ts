import { expect, test } from "vitest";
import { withoutEcosystem } from "../../../src/commands/terminal/without-ecosystem.ts";

const ANSWER = { environment: "dev", path: "/shop/pm2/ecosystem.dev.config.cjs" };

const NOTHING = { others: [], layoutHint: undefined, undecided: [] };

test("if an environment has no ecosystem file, the error lists the environments that have one", () => {
  expect(withoutEcosystem(ANSWER, { ...NOTHING, others: ["staging", "production"] })).toBe(
    "dev has no ecosystem file: svcm looked for /shop/pm2/ecosystem.dev.config.cjs\n" +
      "These environments have one: staging, production.\n" +
      "Hint: choose one with --environment, for example --environment staging",
  );
});

test("if no environment has an ecosystem file, the hint names svcm init or the settings", () => {
  expect(
    withoutEcosystem(ANSWER, { ...NOTHING, layoutHint: "Found here: pm2.json. To use them, run: svcm init" }),
  ).toContain("svcm init");
  expect(withoutEcosystem(ANSWER, NOTHING)).toContain("SVC_SERVICE_MANAGEMENT_PM2_DIR");
});

test("svcm.yaml without a file for the environment is read, so it is not what svcm looked for", () => {
  expect(withoutEcosystem({ environment: "dev", path: "/shop/svcm.yaml" }, NOTHING)).toBe(
    "dev has no ecosystem file: /shop/svcm.yaml names none\n" +
      "Hint: write one and declare it in svcm.yaml, for example ecosystem: { dev: ecosystem.config.js }",
  );
});

test("files that svcm init left undecided are not said to be missing", () => {
  const undecided = [
    { file: "pm2.json", environment: "dev" },
    { file: "pm2.yaml" },
    { file: "x.yaml", environment: "qa" },
  ];
  expect(withoutEcosystem({ environment: "dev", path: "/shop/svcm.yaml" }, { ...NOTHING, undecided })).toBe(
    "dev has no ecosystem file yet: /shop/svcm.yaml lists pm2.json, pm2.yaml below undecided\n" +
      "Hint: name those that the team starts below ecosystem; then run: svcm init --confirm",
  );
});
