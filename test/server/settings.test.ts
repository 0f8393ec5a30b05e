import { describe, expect, test } from "vitest";
import { describeError } from "../../src/core/index.ts";
import { readSettings } from "../../src/server/settings.ts";

const PORT = "SVC_SERVICE_MANAGEMENT_PORT";
const HOST = "SVC_SERVICE_MANAGEMENT_HOST";

function refusal(env: Record<string, string>) {
  try {
    readSettings(env);
  } catch (error) {
    return describeError(error);
  }
  throw new Error("accepted");
}

test("defaults", () => {
  expect(readSettings({})).toEqual({
    host: "127.0.0.1",
    port: 3200,
    token: undefined,
    allowedHosts: [],
    logLevel: "info",
    logForm: undefined,
  });
});

test("a blank host or port is treated as unset, so it cannot open the server by accident", () => {
  expect(readSettings({ [HOST]: " ", [PORT]: "" })).toMatchObject({ host: "127.0.0.1", port: 3200 });
});

test("options take precedence over variables", () => {
  const settings = readSettings({ [HOST]: "::1", [PORT]: "1" }, { host: "localhost", port: 0 });
  expect(settings).toMatchObject({ host: "localhost", port: 0 });
});

describe("port", () => {
  test.each([
    ["0", 0],
    ["1", 1],
    ["65535", 65_535],
    [" 3201 ", 3201],
  ])("%j", (given, port) => {
    expect(readSettings({ [PORT]: given }).port).toBe(port);
  });

  test.each(["65536", "-1", "1.5", "0x10", "1e3", "3200abc", "abc", "99999999999999999999", "３２００"])(
    "refuses %j",
    (given) => {
      const { exitCode, body } = refusal({ [PORT]: given });
      expect({ exitCode, error: body.error }).toEqual({ exitCode: 2, error: "Invalid request." });
      expect(body.details).toContain("0 to 65535");
      expect(body.details).toContain(`--port or ${PORT}`);
    },
  );
});

describe("allowed hosts", () => {
  const VARIABLE = "SVC_SERVICE_MANAGEMENT_ALLOWED_HOSTS";

  test("names and addresses are normalised", () => {
    const given = " Svcm.Example , 10.0.0.7,,[FD00::1],fd00:0:0::2 ";
    expect(readSettings({ [VARIABLE]: given }).allowedHosts).toEqual([
      "svcm.example",
      "10.0.0.7",
      "fd00::1",
      "fd00::2",
    ]);
  });

  test.each(["http://a", "a:80", "*", "*.a", "a b", "a/b", "a@b", "[::1", "::g", "fe80::1%lo"])(
    "refuses %j",
    (given) => {
      const { exitCode, body } = refusal({ [VARIABLE]: given });
      expect(exitCode).toBe(1);
      expect(body.details).toContain(VARIABLE);
    },
  );
});

describe("log form", () => {
  const VARIABLE = "SVC_SERVICE_MANAGEMENT_LOG";

  test.each([
    ["text", "text"],
    [" JSON ", "json"],
    ["", undefined],
  ])("%j", (given, form) => {
    expect(readSettings({ [VARIABLE]: given }).logForm).toBe(form);
  });

  test("refuses any other form and lists the accepted ones", () => {
    const { exitCode, body } = refusal({ [VARIABLE]: "pretty" });
    expect(exitCode).toBe(1);
    expect(body.details).toBe(`${VARIABLE}: unknown form "pretty". Accepted: text, json.`);
  });
});

describe("log level", () => {
  const VARIABLE = "SVC_SERVICE_MANAGEMENT_LOG_LEVEL";

  test.each([
    ["debug", "debug"],
    ["WARN", "warn"],
    ["", "info"],
  ])("%j", (given, level) => {
    expect(readSettings({ [VARIABLE]: given }).logLevel).toBe(level);
  });

  test("refuses an unknown level and lists the known ones", () => {
    const { exitCode, body } = refusal({ [VARIABLE]: "verbose" });
    expect(exitCode).toBe(1);
    expect(body.details).toContain(VARIABLE);
    expect(body.details).toContain("fatal, error, warn, info, debug, trace, silent");
  });
});
