import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { REDACTED } from "../../../src/core/secrets/redact.ts";
import { maskMember, maskMembers, maskLine, maskLines } from "../../../src/core/secrets/source-lines.ts";

test.each([
  ["a text", "password", "canary", REDACTED],
  ["a number", "apiKey", 12345678, REDACTED],
  ["a list", "tokens", ["canary", 1], REDACTED],
  ["a map", "secrets", { redis: "canary" }, REDACTED],
  ["a name of a secret that only sources have", "heartbeat", "https://example.com/canary", REDACTED],
  ["nothing", "password", null, null],
  ["a secret inside a map", "client", { clientSecret: "canary", port: 1 }, { clientSecret: REDACTED, port: 1 }],
  ["a secret in a line of a text", "note", "password: canary\nlast", `password: ${REDACTED}\nlast`],
  ["a secret over several lines of a text", "note", "secrets:\n  a: canary\nlast", `secrets:\n  ${REDACTED}\nlast`],
  ["credentials", "region", "https://u:canary@h", `https://${REDACTED}@h`],
  ["an ordinary text", "keyValueDriver", "redis", "redis"],
  ["an ordinary list", "regions", ["eu", 1, true], ["eu", 1, true]],
])("%s", (_, name, value, masked) => {
  expect(maskMember(name, value)).toEqual(masked);
});

const name = fc.constantFrom("region", "ports", "list", "entry");
const secretName = fc.constantFrom("password", "apiKey", "tokens", "clientSecret", "credentials", "webhook");
const harmless = fc.oneof(fc.constantFrom("eu", "node22", "a b"), fc.integer(), fc.boolean(), fc.constant(null));
const few = { maxKeys: 2, depthSize: "small" } as const;
const { map: tree } = fc.letrec<{ secret: unknown; open: unknown; map: Record<string, unknown> }>((tie) => ({
  map: fc
    .tuple(fc.dictionary(name, tie("open"), few), fc.dictionary(secretName, tie("secret"), few))
    .map(([open, secret]) => ({ ...open, ...secret })),
  open: fc.oneof({ depthSize: "small" }, harmless, tie("map"), fc.array(tie("open"), { maxLength: 2 })),
  secret: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("canary", "first\ncanary\n", "canary: 1 # canary", "a canary\n\n  canary"),
    fc.dictionary(name, tie("secret"), few),
    fc.array(tie("secret"), { maxLength: 2 }),
  ),
}));

test("no member below the name of a secret is shown, as data or as YAML in any style", () => {
  const style = fc.record({
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom("any" as const, "block" as const, "flow" as const),
    lineWidth: fc.constantFrom(0, 20, 80),
    blockQuote: fc.constantFrom(true, false, "folded" as const),
  });
  const property = fc.property(tree, style, (value, options) => {
    expect(JSON.stringify(maskMembers(value))).not.toContain("canary");
    const lines = stringify(value, options).split("\n");
    expect(maskLines(lines).join("\n")).not.toContain("canary");
    expect(maskLines(lines)).toEqual(lines.map((_line, index) => maskLine(lines, index)));
  });
  fc.assert(property, { numRuns: 500, endOnFailure: true });
});

test("a document without a secret stays as it is", () => {
  const property = fc.property(fc.dictionary(name, harmless), (value) => {
    expect(maskMembers(value)).toEqual(value);
    const lines = stringify(value).split("\n");
    expect(maskLines(lines)).toEqual(lines);
  });
  fc.assert(property, { numRuns: 200 });
});
