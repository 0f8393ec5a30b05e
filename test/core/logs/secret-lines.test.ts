import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCandidateFinder } from "../../../src/core/logs/files/worker/candidates.ts";
import { propertyRuns } from "../../support/runs.ts";
import { findSecretLines, isCandidate, scrub, SECRET } from "./candidate.ts";

describe("a guess of a secret", () => {
  const find = (grep: string, ignoreCase = false) => createCandidateFinder({ grep, ignoreCase }, findSecretLines);
  const lines = Array.from({ length: 50 }, (_, at) => `connect postgres://shop:${SECRET}@db/shop attempt ${at}`);
  const bytes = Buffer.from([...lines, `Authorization: Bearer ${"x".repeat(20)}`, "nothing here"].join("\n"));

  test.each([[SECRET], [`shop:${SECRET}@`], [SECRET.slice(0, 8)], ["x".repeat(19)]])(
    "%s chooses the same lines as a wrong one",
    (right) => {
      const wrong = `${right.slice(0, -1)}~`;
      for (const ignoreCase of [false, true])
        expect([...(find(right, ignoreCase)?.(bytes) ?? [])]).toEqual([...(find(wrong, ignoreCase)?.(bytes) ?? [])]);
    },
  );

  const HIDDEN = [
    SECRET,
    Buffer.from(`user:${SECRET}`).toString("base64"),
    `postgres://u:${"p".repeat(9)}@h/x`,
    'password="hunter2"',
    "API_KEY=abc12345",
    "token: abcdefgh",
    "Bearer abcdefgh1234",
    "X-Api-Key: abcdefgh",
    "passWord=hunter2",
    `ghp_${"a1".repeat(18)}`,
    `npm_${"a1".repeat(18)}`,
    `SG.${"a".repeat(22)}.${"b".repeat(43)}`,
    "AKIAIOSFODNN7EXAMPLE",
    `AIza${"a".repeat(35)}`,
    `sk-${"a1".repeat(24)}`,
    `xoxp-${"1".repeat(12)}-abcdef`,
    `0x${"a1".repeat(32)}`,
    `dp.st.dev.${"a".repeat(40)}`,
    ...["sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"].map(
      (prefix) => prefix + "a1".repeat(8),
    ),
    ...["xoxa-", "xoxb-", "xoxe-", "xoxr-", "xoxs-", "glpat-", "ASIA"].map((prefix) => prefix + "A1".repeat(8)),
    ...["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."].map((prefix) => prefix + "a1".repeat(12)),
    ...[
      "hooks.slack.com",
      "hooks.zapier.com",
      "discord.com/api/webhooks",
      "discordapp.com/api/webhooks",
      "webhook.office.com",
      "outlook.office.com/webhook",
      "outlook.office365.com/webhook",
      "chat.googleapis.com/v1/spaces",
      "open.feishu.cn/open-apis/bot",
      "oapi.dingtalk.com",
      "api.telegram.org",
    ].map((host) => `${host}/abc`),
    "passphrase = abcdefgh",
    "authorization: Basic abcdefgh1234",
    "access-key=abcdefgh",
    "signing_key=abcdefgh",
    "credentials: abcdefgh",
    "redis://u:passà@h",
    String.raw`redis:\\u:pà@h@x`,
    "mysqld\u2003--tls-key abcdefgh",
    "GET /orders?page=2&sig=abcdef",
    "mysqld --tls-key abcdefgh",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh",
    "-----BEGIN RSA PRIVATE KEY-----",
  ];

  test.each(HIDDEN)("a line with %s is searched as it is shown, wherever the text is", (text) => {
    for (let before = 0; before < 8; before += 1) {
      const line = `${"a".repeat(before)} ${text} b`;
      expect(scrub.complete(line)).not.toBe(line);
      const all = Buffer.from(`one\n${line}\ntwo\n`);
      expect(findSecretLines(all)).toContainEqual({ from: 4, to: 4 + Buffer.byteLength(line) });
    }
  });

  test("every line that masking changes is found among others, whatever its place", () => {
    const secret = fc.constantFrom(...HIDDEN);
    const plain = fc.oneof(
      fc.constantFrom(
        "",
        "a",
        "user@example.com",
        "GET /x?page=1&sort=asc",
        "monkey 0x1f task-1 SG.",
        "key",
        "@",
        "?a=",
      ),
      fc.string({ maxLength: 9 }).map((text) => text.replaceAll("\n", " ")),
    );
    const block = fc.array(
      fc.oneof(
        plain,
        fc.tuple(plain, secret, plain).map((parts) => parts.join(" ")),
      ),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(block, (all) => {
        const found = new Set(findSecretLines(Buffer.from(all.join("\n"))).map(({ from }) => from));
        let from = 0;
        for (const line of all) {
          if (scrub.complete(line) !== line) expect([all, line, found.has(from)]).toEqual([all, line, true]);
          from += Buffer.byteLength(line) + 1;
        }
      }),
      propertyRuns(1000, 50_000),
    );
  });

  test("every line that masking changes is searched as it is shown, also if colours interrupt it", () => {
    const colour = fc.constantFrom("", "", "", "\u001B[31m");
    const words = fc.constantFrom(...HIDDEN, "--", "token", "?", "=", ":", "user", "@", "GET /x", "https://", "key");
    const lineOf = fc
      .array(fc.tuple(words, colour, fc.nat(), fc.constantFrom("", " ")), { minLength: 1, maxLength: 5 })
      .map((parts) =>
        parts.map(([word, mark, at, end]) => {
          const cut = at % word.length;
          return `${word.slice(0, cut)}${mark}${word.slice(cut)}${end}`;
        }),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(lineOf, (line) => {
        if (scrub.complete(line) === line.replaceAll("\u001B[31m", "")) return;
        expect([line, isCandidate(line, { grep: "never-there" })]).toEqual([line, true]);
      }),
      propertyRuns(1000, 50_000),
    );
  });
});
