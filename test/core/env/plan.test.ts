/** Why a key is not written, and what a user can do about it. */
import { expect, test } from "vitest";
import type { RuntimeContract } from "../../../src/core/api/facts.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { planRewrite, planWrite } from "../../../src/core/env/plan.ts";
import { packagedRuntimeContract as packaged } from "../../../src/core/project/facts/packaged.generated.ts";

const keys = {
  E: { tier: "editable", kind: "text", label: "E", help: "E" },
  R: { tier: "read-only", kind: "text", label: "R", help: "R" },
  S: { tier: "never-exposed", kind: "secret", label: "S", help: "S" },
  G: { tier: "never-exposed", kind: "secret", label: "G", help: "G", guess: "its name" },
} as const;
const own = { ...packaged, keys } as unknown as RuntimeContract;

function messages(contract: RuntimeContract, after: string): string[] {
  try {
    planRewrite(contract, { fileName: ".env.dev", before: "", after, below: [] });
    return [];
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    return (error.body.issues ?? [])
      .filter(({ code }) => code === "ENV_KEY_NOT_EDITABLE")
      .map(({ message }) => message);
  }
}

const SECRET = "svcm writes no secret: edit its line in the env file, then run svcm plan";

test.each<[string, RuntimeContract, string, RegExp]>([
  [
    "read-only, in an own contract",
    own,
    "R=1\n",
    /^R is not editable \(read-only\): .*\. To allow svcm to write it: svcm keys allow R$/,
  ],
  [
    "read-only, in svcm's contract",
    packaged,
    "SVC_DATABASE_NAME=x\n",
    /^SVC_DATABASE_NAME is not editable \(read-only\): (?!.*svcm keys allow)/,
  ],
  ["a secret", own, "S=1\n", new RegExp(`^S is not editable \\(never-exposed\\): (?!.*guessed).*\\. ${SECRET}$`)],
  [
    "a secret by a guess",
    own,
    "G=1\n",
    new RegExp(`svcm init guessed so: its name\\. If it holds no secret: svcm keys allow G\\. ${SECRET}$`),
  ],
  [
    "a secret, in svcm's contract",
    packaged,
    "SVC_REDIS_PASSWORD=x\n",
    /^SVC_REDIS_PASSWORD is not editable \(never-exposed\): it is a secret$/,
  ],
  ["not listed", packaged, "NEW=1\n", /^NEW is not listed/],
])("a key that is %s", (_what, contract, after, message) => {
  expect(messages(contract, after)).toEqual([expect.stringMatching(message)]);
});

test("an editable key is written, and a key that is not is named", () => {
  expect(messages(own, "E=1\n")).toEqual([]);
  const plan = planWrite(own, "E=1\nR=1\n", { E: "2", R: "2" }, ".env.dev");
  expect(plan).toMatchObject({ text: "E=2\nR=1\n", changedKeys: ["E"], ignoredKeys: ["R"] });
  expect(plan.changes).toMatchObject([{ key: "E", line: 1, before: ["E=1"], after: ["E=2"] }]);
});
