import { describe, expect, test } from "vitest";
import { describeError } from "../../src/core/index.ts";
import { requireToken, resolveBind, type Bind } from "../../src/server/bind.ts";

const loopback: Bind = { address: "127.0.0.1", urlHost: "127.0.0.1", isLoopback: true };
const open: Bind = { address: "0.0.0.0", urlHost: "0.0.0.0", isLoopback: false };

describe("the address to bind", () => {
  test.each([
    ["127.0.0.1", "127.0.0.1", "127.0.0.1"],
    ["127.1.2.3", "127.1.2.3", "127.1.2.3"],
    ["localhost", "127.0.0.1", "localhost"],
    ["LocalHost", "127.0.0.1", "localhost"],
    ["::1", "::1", "[::1]"],
    ["[::1]", "::1", "[::1]"],
    ["0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1", "[0:0:0:0:0:0:0:1]"],
    ["::ffff:127.0.0.1", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]"],
    ["127.1", "127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1", "127.0.0.1"],
  ])("%s is loopback", async (host, address, urlHost) => {
    expect(await resolveBind(host)).toEqual({ address, urlHost, isLoopback: true });
  });

  test.each([
    "0.0.0.0",
    "0",
    "00",
    "0x0",
    "0.0",
    "::",
    "[::]",
    "0:0:0:0:0:0:0:0",
    "::0",
    "::ffff:0.0.0.0",
    "::ffff:0:0",
    "10.0.0.1",
    "192.168.1.5",
    "169.254.1.1",
    "fe80::1",
    "fd00::1",
    "::ffff:192.168.1.5",
    "::127.0.0.1",
    "128.0.0.1",
  ])("%s is not", async (host) => {
    expect((await resolveBind(host)).isLoopback).toBe(false);
  });

  test("a name that does not resolve is refused, and the error names flag and variable", async () => {
    const { exitCode, body } = await resolveBind("no-such-host.invalid").then(
      () => expect.unreachable(),
      describeError,
    );
    expect(exitCode).toBe(1);
    expect(body.details).toMatch(/--host.*SVC_SERVICE_MANAGEMENT_HOST/);
  });
});

describe("a token", () => {
  const LONG = "sixteen-chars-ok";

  test.each([undefined, "x", "short", "with spaces", "~!{}", "x".repeat(4096), LONG])(
    "%j will do on loopback",
    (token) => {
      expect(requireToken(loopback, token)).toBe(token);
    },
  );

  test.each(["", " ", "\t\n"])("the blank token %j is refused on loopback", (token) => {
    expect(() => requireToken(loopback, token)).toThrow("SVC_SERVICE_MANAGEMENT_AUTH_TOKEN is set but blank");
  });

  test.each([
    [" padded", "has white space at an end"],
    ["padded ", "has white space at an end"],
    ["padded\t", "has white space at an end"],
    ["padded\u00A0", "has white space at an end"],
    ["two\nlines", "holds a line break or another control character"],
    ["a\u0000b", "holds a line break or another control character"],
    ["a\tb", "holds a line break or another control character"],
    ["a\u007Fb", "holds a line break or another control character"],
    ["x".repeat(4097), "is too long for a header"],
    ["tökén-of-a-browser", "holds a character outside of ASCII"],
    ["東京-0123456789abcdef", "holds a character outside of ASCII"],
  ])("the token %j is refused everywhere, because clients cannot send it", (token, problem) => {
    for (const bind of [loopback, open]) {
      const { exitCode, body } = describeError(thrownBy(() => requireToken(bind, token)));
      expect(exitCode).toBe(1);
      expect(body.details).toContain(`SVC_SERVICE_MANAGEMENT_AUTH_TOKEN ${problem}`);
      expect(body.details).toContain("4096 bytes");
      expect(JSON.stringify(body)).not.toContain(token.trim().slice(0, 6));
    }
  });

  test.each([LONG, `${LONG} with spaces`])("the token %j is accepted on other addresses", (token) => {
    expect(requireToken(open, token)).toBe(token);
  });

  test.each([
    [undefined],
    [""],
    [" "],
    [" ".repeat(20)],
    ["fifteen-chars-x"],
    [`x${" ".repeat(20)}`],
    [`${LONG}\n${LONG}`],
    [`${LONG}\r`],
    [`${LONG}\u2028${LONG}`],
  ])("the token %j is refused on other addresses and not shown", (token) => {
    const { exitCode, body } = describeError(thrownBy(() => requireToken(open, token)));
    expect({ exitCode, error: body.error }).toEqual({ exitCode: 1, error: "Service Management cannot start." });
    expect(body.details).toContain("SVC_SERVICE_MANAGEMENT_HOST");
    expect(body.details).toContain("SVC_SERVICE_MANAGEMENT_AUTH_TOKEN");
    if (token?.trim()) expect(JSON.stringify(body)).not.toContain(token.trim().slice(0, 8));
  });
});

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}
