/** A whole file that a user has edited, and what a plan shows of a line. */
import { expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { maskLineChange, planRewrite } from "../../../src/core/env/plan.ts";
import { specOf } from "../../../src/core/env/runtime-keys.ts";
import { packagedRuntimeContract as contract } from "../../../src/core/index.ts";

const BAD = "SVC_HTTP_FRAMEWORK=derby\n";

test.each<[string, string, string, string[] | string]>([
  ["nothing", BAD, BAD, []],
  ["an editable key", "SVC_HTTP_FRAMEWORK=express\n", "SVC_HTTP_FRAMEWORK=fastify\n", ["SVC_HTTP_FRAMEWORK"]],
  ["a comment beside an old error", BAD, `# why\n${BAD}`, []],
  ["an old error into another one", BAD, "SVC_HTTP_FRAMEWORK=horse\n", "ENV_VALUE_UNSUPPORTED"],
  ["an old error into two", BAD, `${BAD}SVC_HTTP_FRAMEWORK=horse\n`, "ENV_KEY_DUPLICATE ENV_VALUE_UNSUPPORTED"],
  ["a second stray line beside an old one", "stray\n", "stray\nstray\n", "ENV_LINE_UNREADABLE"],
  ["an old stray line to another place", "stray\n# a\n", "# a\nstray\n", []],
  ["a secret", "SVC_REDIS_PASSWORD=canary\n", "SVC_REDIS_PASSWORD=other\n", "ENV_KEY_NOT_EDITABLE"],
])("a user changes %s", (_what, before, after, expected) => {
  const found = (() => {
    try {
      return planRewrite(contract, { fileName: ".env.dev", before, after, below: [] }).changedKeys;
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      expect(JSON.stringify(error.body)).not.toContain("canary");
      const codes = (error.body.issues ?? []).map(({ code }) => code);
      return [...new Set(codes)].toSorted().join(" ");
    }
  })();
  expect(found).toEqual(expected);
});

test("neither the former line nor the new one shows credentials", () => {
  const key = "SVC_WEBSOCKET_REDIS_URL";
  const change = { line: 3, before: [`${key}=redis://u:canary@h:1`], after: [`export ${key}="redis://u:canary2@h:1"`] };
  const shown = maskLineChange(specOf(contract, key), change);
  expect(shown).toMatchObject({
    line: 3,
    before: [expect.stringMatching(/^SVC_/)],
    after: [expect.stringMatching(/^export SVC_/)],
  });
  expect(JSON.stringify(shown)).not.toContain("canary");
});
