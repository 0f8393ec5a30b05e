import { describe, expect, test } from "vitest";
import { canonicalAddress, parseHost, isLoopbackHost } from "../../src/server/host.ts";

describe("a Host header", () => {
  test.each([
    ["localhost", "localhost"],
    ["LOCALHOST:3200", "localhost"],
    ["127.0.0.1:1", "127.0.0.1"],
    ["127.0.0.1:65535", "127.0.0.1"],
    ["[::1]", "::1"],
    ["[0:0::0:1]:3200", "::1"],
    ["[::ffff:127.0.0.1]:3200", "127.0.0.1"],
    ["[::FFFF:7F00:1]", "127.0.0.1"],
    ["svcm_1.internal:80", "svcm_1.internal"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ])("%s is %s", (header, host) => {
    expect(parseHost(header)).toBe(host);
  });

  test.each([
    "",
    ":3200",
    "localhost:",
    "localhost:0",
    "localhost:03200",
    "localhost:65536",
    "localhost:999999",
    "localhost:3200:3200",
    "localhost:32x0",
    "localhost:-1",
    "localhost.",
    ".localhost",
    "local host",
    "localhost,evil.example",
    "localhost, localhost",
    "user@localhost",
    "localhost/",
    "localhost?",
    "localhost#",
    "localhost\\",
    "http://localhost",
    "[::1",
    "::1",
    "[::1]3200",
    "[::1]x",
    "[::1%lo]",
    "[::1%25lo]",
    "[127.0.0.1]",
    "[localhost]",
    "[]",
    "[[::1]]",
    "-localhost",
    "localhost-",
    "löcalhost",
    "a".repeat(254),
  ])("%j is not a Host header", (header) => {
    expect(parseHost(header)).toBeUndefined();
  });
});

describe("loopback", () => {
  test.each(["localhost", "127.0.0.1", "127.255.255.254", "::1"])("%s is loopback", (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });

  test.each([
    "127.0.0.1.evil.example",
    "127.1",
    "127.0.0.01",
    "0x7f.0.0.1",
    "2130706433",
    "0.0.0.0",
    "0",
    "::",
    "::2",
    "a.localhost",
    "localhost.evil.example",
    "evil.example",
  ])("%s is not loopback", (host) => {
    expect(isLoopbackHost(parseHost(host.includes("::") ? `[${host}]` : host) ?? "")).toBe(false);
  });
});

test.each([
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["::FFFF:0:1", "0.0.0.1"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["2001:DB8:0::1", "2001:db8::1"],
  ["::7f00:1", "::7f00:1"],
])("%s is normalised to %s", (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});
