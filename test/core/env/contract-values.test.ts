import { describe, expect, test } from "vitest";
import { assignmentIssues, planWrite } from "../../../src/core/env/plan.ts";
import { hasCredentials, maskCredentials, Secret } from "../../../src/core/secrets/redact.ts";
import { envSpellings, resolveEnvironment } from "../../../src/core/project/resolve.ts";
import { editableKeys, tierOf, visibleKeys, acceptedValues } from "../../../src/core/env/runtime-keys.ts";
import { valueIssue } from "../../../src/core/env/value-rules.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { packagedRuntimeContract as contract } from "../../../src/core/project/facts/packaged.generated.ts";

function problemOf(key: string, value: string): string | undefined {
  const spec = contract.keys[key];
  if (!spec) throw new Error(`no ${key} in the contract`);
  return valueIssue(key, spec, value)?.code;
}

describe("tiers", () => {
  test("the write allowlist is the nine keys of the specification", () => {
    expect(editableKeys(contract)).toEqual([
      "SVC_HTTP_FRAMEWORK",
      "SVC_REALTIME_API",
      "SVC_REALTIME_API_PROTOCOL",
      "SVC_REALTIME_API_DATABASE_DRIVER",
      "SVC_DATABASE_DRIVER",
      "SVC_KEYVALUESTORAGE_DRIVER",
      "SVC_MESSAGE_MEDIATOR_ADAPTER",
      "SVC_WEBSOCKET_SOCKETIO_ADAPTER",
      "SVC_WEBSOCKET_REDIS_URL",
    ]);
  });

  test("23 keys are visible", () => {
    expect(visibleKeys(contract)).toHaveLength(23);
  });

  test.each([
    "SVC_JWT_TOKEN_SECRET_KEY",
    "SVC_REDIS_PASSWORD",
    "SVC_RABBITMQ_URL",
    "SVC_REDIS_URL",
    "SVC_WEBSOCKET_CLUSTER_WORKERS",
    "SVC_ANYTHING_ELSE",
    "__proto__",
    "constructor",
    "toString",
  ])("%s is never exposed", (key) => {
    expect(tierOf(contract, key)).toBe("never-exposed");
  });
});

describe("values", () => {
  const enums = Object.entries(contract.keys).flatMap(([key, spec]) => (spec.kind === "enum" ? [{ key, spec }] : []));

  test.each(enums)("$key accepts every listed value and no similar value", ({ key, spec }) => {
    for (const value of acceptedValues(spec)) expect(problemOf(key, value)).toBeUndefined();
    const misses = spec.values.flatMap((value) => [
      `${value} `,
      ` ${value}`,
      `${value}x`,
      value.toUpperCase(),
      value.toLowerCase(),
    ]);
    for (const miss of misses.filter((value) => !spec.values.includes(value))) {
      expect(problemOf(key, miss), miss).toBe("ENV_VALUE_UNSUPPORTED");
    }
    expect(problemOf(key, "")).toBe(spec.allowEmpty === true ? undefined : "ENV_VALUE_UNSUPPORTED");
  });

  test.each(["derby", "sails", "hyper-express"])("%s is rejected with its reason", (value) => {
    const problem = valueIssue("SVC_HTTP_FRAMEWORK", contract.keys["SVC_HTTP_FRAMEWORK"]!, value);
    expect(problem?.message).toMatch(/canonical spelling is|was removed/);
    expect(problem?.message).toContain("accepted: express, fastify");
  });

  test.each([
    ["redis://127.0.0.1:6379", undefined],
    ["rediss://cache.example.com:6380/1?family=6", undefined],
    ["redis://[::1]:6379", undefined],
    ["", undefined],
    ["http://127.0.0.1", "ENV_VALUE_UNSUPPORTED"],
    ["127.0.0.1:6379", "ENV_VALUE_UNSUPPORTED"],
    ["redis://", "ENV_VALUE_UNSUPPORTED"],
    ["redis:127.0.0.1", "ENV_VALUE_UNSUPPORTED"],
    ["redis://a b", "ENV_VALUE_UNSUPPORTED"],
    ["redis://user:pw@127.0.0.1:6379", "ENV_VALUE_CREDENTIALS"],
    ["redis://:pw@127.0.0.1:6379", "ENV_VALUE_CREDENTIALS"],
    ["redis://user@127.0.0.1:6379", "ENV_VALUE_CREDENTIALS"],
    ["redis://@127.0.0.1:6379", "ENV_VALUE_CREDENTIALS"],
    ["redis://u:p@ss@127.0.0.1", "ENV_VALUE_CREDENTIALS"],
    ["redis:\\\\u:p@127.0.0.1", "ENV_VALUE_CREDENTIALS"],
    ["redis://127.0.0.1?password=pw", "ENV_VALUE_CREDENTIALS"],
    ["redis://u:a/b@127.0.0.1", "ENV_VALUE_CREDENTIALS"],
    ["redis:u:p@127.0.0.1", "ENV_VALUE_CREDENTIALS"],
    ["redis://127.0.0.1\nEVIL=1", "ENV_VALUE_CONTROL_CHARACTER"],
    ["redis://127.0.0.1\rEVIL=1", "ENV_VALUE_CONTROL_CHARACTER"],
    ["redis://127.0.0.1\u2028", "ENV_VALUE_CONTROL_CHARACTER"],
    ["redis://127.0.0.1\u0000", "ENV_VALUE_CONTROL_CHARACTER"],
    ["redis://127.0.0.1\uD800", "ENV_VALUE_CONTROL_CHARACTER"],
    [`redis://${"a".repeat(4096 - 8)}`, undefined],
    [`redis://${"a".repeat(4097 - 8)}`, "ENV_VALUE_TOO_LONG"],
  ])("SVC_WEBSOCKET_REDIS_URL=%j: %s", (value, code) => {
    expect(problemOf("SVC_WEBSOCKET_REDIS_URL", value)).toBe(code);
  });

  test("a refused URL is shown without its credentials", () => {
    const problem = valueIssue(
      "SVC_WEBSOCKET_REDIS_URL",
      contract.keys["SVC_WEBSOCKET_REDIS_URL"]!,
      "redis://ann:canary@h",
    );
    expect(problem?.message).toContain("redis://[REDACTED]@h");
    expect(JSON.stringify(problem)).not.toContain("canary");
  });

  test("a control character is shown escaped, beside the accepted values, and hides no credentials", () => {
    const spec = contract.keys["SVC_REALTIME_API"]!;
    expect(valueIssue("SVC_REALTIME_API", spec, 'a\t\u009b"\uD800')?.message).toBe(
      'SVC_REALTIME_API: "a\\t\\u009b\\"\\ud800" holds a control character, a line break or broken Unicode; accepted: yes, no',
    );
    const url = contract.keys["SVC_WEBSOCKET_REDIS_URL"]!;
    const problem = valueIssue("SVC_WEBSOCKET_REDIS_URL", url, "redis://u:canary\n@h");
    expect(problem?.message).toContain("redis://[REDACTED]@h");
    expect(JSON.stringify(problem)).not.toContain("canary");
    for (const lineBreak of ["\n", "\r", "\u2028"]) {
      const pasted = valueIssue("SVC_REALTIME_API", spec, `a\\n${lineBreak}SECRET=canary`);
      expect(pasted?.message).toMatch(/: "a\\\\n\\(?:n|r|u2028)\.\.\." holds a control character/);
    }
    const secret = { kind: "secret", tier: "never-exposed", label: "x", help: "x" } as const;
    expect(valueIssue("S", secret, "canary\u0007")?.message).toMatch(/^S: the value holds a control character/);
  });

  test.each([
    ["0", undefined],
    ["919999999999919999999999", undefined],
    ["-1", "ENV_VALUE_UNSUPPORTED"],
    ["1.5", "ENV_VALUE_UNSUPPORTED"],
    ["1e3", "ENV_VALUE_UNSUPPORTED"],
  ])("an integer %s: %s", (value, code) => {
    const spec = { kind: "integer", tier: "read-only", label: "x", help: "x" } as const;
    expect(valueIssue("N", spec, value)?.code).toBe(code);
  });

  test("an integer with a maximum", () => {
    const spec = { kind: "integer", tier: "read-only", label: "x", help: "x", minimum: 1, maximum: 65_535 } as const;
    expect(valueIssue("PORT", spec, "65535")).toBeUndefined();
    expect(valueIssue("PORT", spec, "99999")?.message).toBe(
      'PORT: unsupported value "99999"; accepted: an integer from 1 to 65535',
    );
  });

  test.each(["redis://u:can/ary@h", "redis:u:can/ary@h", "u:can/ary@h", "redis://u:can ary@h"])(
    "%s is refused unseen",
    (value) => {
      const problem = valueIssue("SVC_WEBSOCKET_REDIS_URL", contract.keys["SVC_WEBSOCKET_REDIS_URL"]!, value);
      expect(problem?.code).toBe("ENV_VALUE_CREDENTIALS");
      expect(problem?.message).not.toMatch(/can.?ary/);
    },
  );

  test("a long word is masked in linear time", () => {
    const word = "a".repeat(1_000_000);
    expect(maskCredentials(`${word}://${word}@h`)).toBe(`${word}://[REDACTED]@h`);
    expect(maskCredentials("a://".repeat(250_000))).toHaveLength(1_000_000);
  });

  test("a similar value is suggested for a misspelled one", () => {
    const problem = valueIssue("SVC_HTTP_FRAMEWORK", contract.keys["SVC_HTTP_FRAMEWORK"]!, "expres");
    expect(problem?.suggestion).toBe("express");
  });
});

describe("a plan", () => {
  const text = "SVC_HTTP_FRAMEWORK=express\nSVC_REDIS_PASSWORD=canary\n";

  test("ignores keys outside the allowlist, or refuses them with the tier's reason", () => {
    const values = { SVC_REDIS_PASSWORD: "x", SVC_HTTP_FRAMEWORK: "fastify", SVC_DATABASE_NAME: "y", constructor: "z" };
    expect(assignmentIssues(contract, values, "ignore")).toEqual([]);
    const plan = planWrite(contract, text, values, ".env.dev");
    expect(plan.text).toBe("SVC_HTTP_FRAMEWORK=fastify\nSVC_REDIS_PASSWORD=canary\n");
    expect(plan.changedKeys).toEqual(["SVC_HTTP_FRAMEWORK"]);
    expect(plan.ignoredKeys).toEqual(["SVC_REDIS_PASSWORD", "SVC_DATABASE_NAME", "constructor"]);
    expect(assignmentIssues(contract, values, "refuse").map(({ message }) => message)).toEqual([
      "SVC_DATABASE_NAME is not editable (read-only): it is a connection endpoint or non-secret configuration; change it in the file, through review",
      "SVC_REDIS_PASSWORD is not editable (never-exposed): it is a secret",
      "constructor is not listed in the runtime contract. Unlisted keys are treated as secrets and never written",
    ]);
  });

  test.each(["redis://h/a\"b'c`d", "redis://h/a'b`$d", "redis://h/a'b`c\"", "redis://h/'`$"])(
    "no quotes hold %s: that is the value's fault, not the file's",
    (value) => {
      const [issue, ...others] = assignmentIssues(contract, { SVC_WEBSOCKET_REDIS_URL: value }, "ignore");
      expect(others).toEqual([]);
      expect(issue).toMatchObject({ code: "ENV_VALUE_UNQUOTABLE", path: ["values", "SVC_WEBSOCKET_REDIS_URL"] });
      expect(issue?.message).toContain("accepted: redis://<host>:<port>, rediss://<host>:<port>, empty, without '");
    },
  );

  test("warns of a value that some readers expand, and names the line but not the value", () => {
    const plan = planWrite(contract, text, { SVC_WEBSOCKET_REDIS_URL: "redis://h/$canary" }, ".env.dev");
    expect(plan.warnings).toMatchObject([
      { code: "ENV_VALUE_EXPANDED", severity: "warning", path: ["SVC_WEBSOCKET_REDIS_URL"], at: { line: 3 } },
    ]);
    expect(JSON.stringify(plan.warnings)).not.toContain("canary");
  });

  test("reports several bad values at once", () => {
    const issues = assignmentIssues(contract, { SVC_REALTIME_API: "maybe", SVC_HTTP_FRAMEWORK: "derby" }, "ignore");
    expect(issues.map(({ path }) => path.join("."))).toEqual(["values.SVC_HTTP_FRAMEWORK", "values.SVC_REALTIME_API"]);
  });

  test("the main and the realtime database driver are independent", () => {
    const both = "SVC_DATABASE_DRIVER=InMemory\nSVC_REALTIME_API_DATABASE_DRIVER=Mongo\n";
    expect(planWrite(contract, both, { SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL" }, ".env.dev").text).toBe(
      "SVC_DATABASE_DRIVER=InMemory\nSVC_REALTIME_API_DATABASE_DRIVER='MS SQL'\n",
    );
    expect(planWrite(contract, both, { SVC_DATABASE_DRIVER: "MSSQL" }, ".env.dev").text).toBe(
      "SVC_DATABASE_DRIVER=MSSQL\nSVC_REALTIME_API_DATABASE_DRIVER=Mongo\n",
    );
  });

  test("the same values change nothing", () => {
    const plan = planWrite(contract, text, { SVC_HTTP_FRAMEWORK: "express" }, ".env.dev");
    expect(plan).toEqual({ text, changedKeys: [], ignoredKeys: [], changes: [], warnings: [] });
  });
});

describe("environments", () => {
  const spellings = envSpellings(contract);

  test.each([
    ["dev", "dev", ".env.dev"],
    ["development", "development", ".env.dev"],
    [" Staging\t", "staging", ".env.staging"],
    ["CI", "ci", ".env.ci"],
    ["test", "test", ".env.ci"],
  ])("%j is returned as %s and means %s", (requested, environment, fileName) => {
    const resolved = resolveEnvironment(spellings, contract, requested);
    expect([resolved.environment, contract.environments[resolved.name]?.file]).toEqual([environment, fileName]);
  });

  test("without one, NODE_ENV decides, and without NODE_ENV it is dev", () => {
    expect(resolveEnvironment(spellings, contract, undefined, "test").environment).toBe("test");
    expect(resolveEnvironment(spellings, contract, undefined, "").environment).toBe("dev");
    expect(resolveEnvironment(spellings, contract, undefined).environment).toBe("dev");
    expect(() => resolveEnvironment(spellings, contract, undefined, "production")).toThrow(
      'Unsupported environment "production" (from NODE_ENV). Accepted: dev, development, staging, ci, test.',
    );
  });

  test.each(["", " ", "prod", "production", "dev2", "../dev", "__proto__", "dev\u0000"])(
    "%j is refused, never coerced",
    (requested) => {
      expect(() => resolveEnvironment(spellings, contract, requested, "dev")).toThrow(SvcmError);
    },
  );

  test("every accepted spelling", () => {
    expect([...spellings.keys()]).toEqual(["dev", "development", "staging", "ci", "test"]);
  });
});

describe("redaction", () => {
  test.each([
    ["redis://u:p@h:1/0", "redis://[REDACTED]@h:1/0"],
    ["amqp://u@h and postgres://a:b@c", "amqp://[REDACTED]@h and postgres://[REDACTED]@c"],
    ["https://h/path?token=abc&x=1", "https://h/path?token=[REDACTED]&x=1"],
    ["redis://u:a/b?c#d@h", "redis://[REDACTED]@h"],
    ["redis://u:p@ss@h", "redis://[REDACTED]@h"],
    ["redis:/u:p@h", "redis:/[REDACTED]@h"],
    ["KEY='redis://u:p@h' # redis://v:q@i", "KEY='redis://[REDACTED]@h' # redis://[REDACTED]@i"],
    ["https://h/a@b", "https://[REDACTED]@b"],
    ["https://h/a b@c", "https://h/a b@c"],
    ["someone@example.com", "someone@example.com"],
  ])("%s", (text, masked) => {
    expect(maskCredentials(text)).toBe(masked);
    expect(hasCredentials(text)).toBe(text !== masked);
  });

  test("a secret is [REDACTED] however it is printed", async () => {
    const secret = new Secret("canary");
    const { format, inspect } = await import("node:util");
    const printed = [
      String(secret),
      "".concat(String(secret)),
      JSON.stringify({ secret }),
      inspect({ secret }, { showHidden: true }),
      format("%s %o", secret, secret),
    ];
    expect(printed.join("\n")).not.toContain("canary");
    expect(secret.reveal()).toBe("canary");
  });
});
