/** Of a key that a repository uses: may users see it? The first rule that decides counts. */
import { expect, test } from "vitest";
import { classify, type Verdict } from "../../../../src/core/setup/detect/classify.ts";

test.each<[string, readonly string[], Verdict["verdict"], string]>([
  ["PORT", ["3000"], "open", "port"],
  ["PORT", [], "open", "port"],
  ["LOG_LEVEL", ["info"], "open", "text"],
  ["FEATURE_X", ["true"], "open", "boolean"],
  ["SITE", ["https://example.com"], "open", "url"],
  ["DATABASE_URL", [], "connection", "text"],
  ["SEARCH_URL", ["https://user:hunter2pass@example.com"], "connection", "url"],
  ["API_SECRET", ["changed-by-hand-9f8a7b6c5d"], "secret", "text"],
  ["DB_PASSWORD", [], "secret", "text"],
  ["SLACK_WEBHOOK_URL", ["https://example.com/x"], "secret", "url"],
  ["NEXT_PUBLIC_TITLE", ["Shop"], "open", "text"],
  ["NEXT_PUBLIC_API_SECRET", ["x"], "undecided", "text"],
  ["STRIPE_PUBLISHABLE_KEY", ["x"], "open", "text"],
  ["SENTRY_DSN", [], "undecided", "text"],
  ["WALLET_ADDRESS", [`0x${"a".repeat(40)}`], "open", "text"],
  // Its name outweighs its value.
  ["APP_SECRET", ["true"], "undecided", "boolean"],
  ["JWT_SECRET", ["false"], "undecided", "boolean"],
  ["FLAVOUR", ["vanilla"], "undecided", "text"],
])("%s with the values %j is %s", (name, values, verdict, kind) => {
  expect(classify(name, values)).toMatchObject({ verdict, kind });
});
