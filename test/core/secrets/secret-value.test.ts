import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasCredentials, isPlainKey, isSecretValue, maskCredentials } from "../../../src/core/secrets/redact.ts";

/** Random-looking text that is the same on every run. */
const random = (length: number, encoding: "hex" | "base64url" = "base64url"): string =>
  createHash("sha512").update(`seed ${length}`).digest(encoding).slice(0, length);

/** The text is split so that secret scanners do not report this file. */
const token = (prefix: string, length: number): string => prefix + random(length, "hex");

const TOKENS = [
  token("sk_live_", 24),
  token("rk_live_", 24),
  token("whsec_", 32),
  token("ghp_", 36),
  token("github_pat_", 40),
  token("xoxb-", 30),
  token("glpat-", 20),
  token("npm_", 36),
  token("sk-proj-", 40),
  token("dp.st.dev.", 40),
  `SG.${random(22)}.${random(43)}`,
  `AKIA${"Q3E2".repeat(4)}`,
  `AIza${random(35)}`,
  `0x${random(64, "hex")}`,
  `eyJ${random(30)}.${random(60)}.${random(40)}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${random(60)}\n-----END RSA PRIVATE KEY-----`,
  `https://hooks.slack.com/services/T0/B0/${random(8)}`,
  "https://discord.com/api/webhooks/1/abc",
  "redis://user:secret@host",
  "https://host/path?api_key=abc",
];

describe("a token with a known form", () => {
  test.each(TOKENS)("%s", (text) => {
    expect(hasCredentials(text)).toBe(true);
    expect(isSecretValue(text)).toBe(true);
    const masked = maskCredentials(`before ${text} after`);
    expect(masked).toMatch(/^before .*\[REDACTED\].* after$/);
    expect(masked).not.toContain(text);
  });
});

describe("random-looking text", () => {
  test.each([
    random(24),
    random(24, "hex"),
    random(44),
    random(64, "hex"),
    "b2e84f5c-6f2d-4d0b-9f4e-3c1a7d5e8f90",
    `https://eth.example.com/v2/${random(20)}`,
    `prefix ${random(32)}`,
  ])("%s is a secret", (text) => {
    expect(isSecretValue(text)).toBe(true);
  });

  test("is detected in nearly every random text of 24 characters", () => {
    const alphabet = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    const texts = fc.sample(fc.string({ unit: fc.constantFrom(...alphabet), minLength: 24, maxLength: 24 }), {
      numRuns: 2000,
      seed: 1,
    });
    expect(texts.filter((text) => !isSecretValue(text)).length).toBeLessThan(40);
  });
});

describe("values that are not secrets", () => {
  test.each([
    "",
    "<your token>",
    "your_api_key_goes_here_1234567890",
    "change me",
    "changeme",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "${SOME_VARIABLE_OF_THE_SHELL_42}",
    "production",
    "3000",
    "info,debug,warn",
    "https://example.com/api/v2/customers/orders",
    "redis://cache.internal.example.com:6379/0",
    "/srv/app/releases/2026-11-22T06-01/apps/backend/dist/index.js",
    "my-very-long-service-name-in-production",
    "getUserByIdFromDatabaseConnection",
    "nodejs22.x",
    "eu-central-1a,eu-central-1b,eu-central-1c",
    "SVC_WEBSOCKET_SOCKETIO_ADAPTER",
    "http://127.0.0.1:3200,http://localhost:3200",
    "1234567890123456789012345",
    "2026-11-22T06:01:46.123+01:00",
    "node_modules/@scope/package-name/dist/index2.js",
  ])("%j", (text) => {
    expect(isSecretValue(text)).toBe(false);
  });
});

test.each([
  ["SVC_HTTP_PORT", true],
  ["httpPort", true],
  ["a line of a key", false],
  ["MIIEpAIBAAKCAQEA+/x", false],
  [`AKIA${"Q3E2".repeat(4)}`, false],
])("the key %s may be shown: %s", (key, isShown) => {
  expect(isPlainKey(key)).toBe(isShown);
});

test("masking takes time proportional to the length of the text", () => {
  const hostile = ["eyJaaaaaaaa-", "a://", "-----BEGIN PRIVATE KEY-----", "SG.aaaaaaaaaaaaaaaaaaaa-", "?a.", "sk-a-"];
  for (const part of hostile) expect(maskCredentials(part.repeat(50_000)).length).toBeGreaterThan(0);
});
