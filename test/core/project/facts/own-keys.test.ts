/** A repository that declares its own runtime keys and uses none of the packaged ones. */
import { describe, expect, test } from "vitest";
import { valueIssue } from "../../../../src/core/env/value-rules.ts";
import { limitMatrix } from "../../../../src/core/project/facts/own-contract.ts";
import {
  packagedCapabilityMatrix,
  packagedCapabilityMatrixText,
  packagedRuntimeContract,
} from "../../../../src/core/project/facts/packaged.generated.ts";
import { readCapabilityMatrix, readRuntimeContract } from "../../../../src/core/project/facts/read.ts";
import { createTarget } from "../../../../src/core/deployments/edit/entry.ts";
import { entryIssues } from "../../../../src/core/deployments/validate.ts";

describe("a contract of a repository's own keys", () => {
  const OWN = `version: 1
environments:
  production: { file: .env.production }
defaultEnvironment: production
keys:
  PORT: { kind: integer, tier: read-only }
  ACCOUNT_ID: { kind: integer, tier: editable }
  RETRIES: { kind: integer, tier: editable, minimum: 2, maximum: 5 }
  LOG_LEVEL: { kind: enum, tier: editable, default: info, values: [debug, info] }
  DATABASE_NAME: { kind: text, tier: never-exposed }
`;
  const faults = (text: string): string[] =>
    readRuntimeContract(text, "contract.yaml").issues.map(
      ({ code, message, at, suggestion }) =>
        `${at?.line}:${at?.column} ${code} ${message}${suggestion === undefined ? "" : ` [${suggestion}?]`}`,
    );

  test("needs no label, help, tiers or profiles, and a port is one", () => {
    const { value, issues } = readRuntimeContract(OWN, "contract.yaml");
    expect(issues).toEqual([]);
    expect(value?.keys["PORT"]).toEqual({
      kind: "integer",
      tier: "read-only",
      label: "PORT",
      help: "",
      maximum: 65_535,
    });
    expect(value?.profiles).toEqual({});
    expect(value?.tiers["never-exposed"].reason).toMatch(/counts as a secret/);
  });

  test.each([
    ["PORT", "65535", undefined],
    ["PORT", "99999", 'unsupported value "99999"; accepted: an integer from 0 to 65535'],
    ["ACCOUNT_ID", "1514732060856549437", undefined],
    ["ACCOUNT_ID", "-1", 'unsupported value "-1"; accepted: an integer, at least 0'],
    ["RETRIES", "2", undefined],
    ["RETRIES", "6", 'unsupported value "6"; accepted: an integer from 2 to 5'],
    ["RETRIES", "1.5", 'unsupported value "1.5"; accepted: an integer from 2 to 5'],
  ])("%s=%s", (key, value, expected) => {
    const spec = readRuntimeContract(OWN, "contract.yaml").value!.keys[key]!;
    expect(valueIssue(key, spec, value)?.message).toBe(expected && `${key}: ${expected}`);
  });

  test.each([
    ["SVC_REDIS_PASSWORD", "text"],
    ["SVC_RABBITMQ_URL", "text"],
    ["SVC_JWT_TOKEN_SECRET_KEY", "text"],
    ["STRIPE_API_KEY", "text"],
    ["DB_PASSWORD", "integer"],
  ])("does not show %s", (key, kind) => {
    expect(faults(`${OWN}  ${key}: { kind: ${kind}, tier: read-only }\n`)).toEqual([
      `11:${key.length + 3 + "{ kind: , tier: ".length + kind.length + 2} FACT_SECRET_VISIBLE keys.${key}.tier: read-only would show a secret; a key of this name has kind: secret; accepted: never-exposed`,
    ]);
  });

  test.each([
    [
      "a map that is a list",
      ["environments:\n  production: { file: .env.production }", "environments: [a]"],
      "2:15 FACT_SHAPE environments: a list is not accepted; accepted: a map by a lower-case name, for example dedicated-server",
    ],
    [
      "a missing kind",
      ["kind: text, ", ""],
      "10:3 FACT_SHAPE keys.DATABASE_NAME.kind is missing; accepted: enum, redis-url, integer, text, boolean, port, number, url, duration, size, email, path, list, json, cron, secret, connection-url",
    ],
    [
      "an unknown kind",
      ["kind: text", "kind: txt"],
      '10:26 FACT_SHAPE keys.DATABASE_NAME.kind: "txt" is not accepted; accepted: enum, redis-url, integer, text, boolean, port, number, url, duration, size, email, path, list, json, cron, secret, connection-url [text?]',
    ],
    ["values without quotes", ["[debug, info]", "[1, true]"], null],
    [
      "a missing file",
      ["file: .env.production", ""],
      "3:3 FACT_SHAPE environments.production.file is missing; accepted: a file name without a folder, for example .env.dev",
    ],
    [
      "a missing section",
      ["defaultEnvironment: production\n", ""],
      "1:1 FACT_SHAPE defaultEnvironment is missing; accepted: a lower-case name, for example dedicated-server",
    ],
    [
      "a key with a space",
      ["PORT:", "PO RT:"],
      '6:3 FACT_SHAPE keys: "PO RT" is not accepted as a name; accepted: an environment key, for example SVC_HTTP_FRAMEWORK',
    ],
    ["an unknown member", ["minimum: 2", "minimun: 2"], null],
    [
      "a range that holds nothing",
      ["minimum: 2, maximum: 5", "minimum: 6, maximum: 5"],
      "8:66 FACT_REFERENCE keys.RETRIES.maximum: 5 is below the minimum 6",
    ],
    ["another version", ["version: 1", "version: 2"], "1:10 FACT_SHAPE version: 2 is not accepted; accepted: 1"],
  ] as const)("says what is accepted: %s", (_, [from, to], expected) => {
    expect(OWN).toContain(from);
    const found = faults(OWN.replace(from, to));
    if (expected === null) expect(found).toMatchSnapshot();
    else expect(found).toEqual([expected]);
    expect(found.join()).not.toMatch(/[Ii]nvalid|expected |received/);
  });
});

describe("a repository without the drivers and frameworks of the packaged matrix", () => {
  const own = readRuntimeContract(
    "version: 1\nenvironments: { dev: { file: .env } }\ndefaultEnvironment: dev\nkeys: {}\n",
    "contract.yaml",
  ).value!;
  const target = { name: "a", region: "eu", runtime: "node22", serviceType: "functions", deployTarget: "lambda" };
  const messagesOf = (entry: object, matrix = limitMatrix(own)): string[] =>
    entryIssues("deployments", { ...target, runtimeProtocol: "http", ...entry }, [], { contract: own, matrix }).map(
      ({ message }) => message,
    );

  test("declares no drivers: none is required, and a given driver is refused with the next step", () => {
    expect(messagesOf({})).toEqual([]);
    expect(messagesOf({ databaseDriver: "InMemory" })).toEqual([
      "databaseDriver: config/capability-matrix.yaml declares no values for it; remove the field, or declare its values there",
    ]);
    const adapter = { type: "sse", entrypoint: "src/interface/a.ts", controller: "AController.list" };
    expect(entryIssues("interfaces", adapter, [], { contract: own, matrix: limitMatrix(own) })).toEqual([]);
    expect(Object.keys(createTarget({ deployTarget: "lambda" }, { contract: own, matrix: limitMatrix(own) }))).toEqual([
      "serviceType",
      "deployTarget",
      "runtimeProtocol",
    ]);
  });

  test("may declare its drivers in the matrix", () => {
    const text = packagedCapabilityMatrixText
      .replace("database: { key: SVC_DATABASE_DRIVER }", "database: [postgres, sqlite]")
      .replace(/^  keyValue: .*\n/m, "")
      .replaceAll("{ key: SVC_HTTP_FRAMEWORK }", "[koa]");
    const { value: matrix, issues } = readCapabilityMatrix(text, "matrix.yaml", own);
    expect(issues).toEqual([]);
    expect(messagesOf({ databaseDriver: "postgres" }, matrix)).toEqual([]);
    expect(messagesOf({ databaseDriver: "Postgres" }, matrix)).toEqual([
      'databaseDriver: "Postgres" is not known; accepted: postgres, sqlite',
    ]);
  });

  test("may copy the packaged matrix and change a label: the packaged keys that it lacks are not offered", () => {
    const text = packagedCapabilityMatrixText.replace("label: WebSocket }", "label: Socket }");
    expect(text).not.toBe(packagedCapabilityMatrixText);
    const { value: matrix, issues } = readCapabilityMatrix(text, "matrix.yaml", own, packagedRuntimeContract);
    expect(issues).toEqual([]);
    expect(limitMatrix(own, matrix).drivers).toEqual({});
    const misspelled = text.replace("key: SVC_DATABASE_DRIVER", "key: SVC_DATABASE_DRIVERS");
    expect(readCapabilityMatrix(misspelled, "matrix.yaml", own, packagedRuntimeContract).issues).toMatchObject([
      { code: "FACT_REFERENCE", message: expect.stringContaining("SVC_DATABASE_DRIVERS") as string },
    ]);
  });

  test("with the packaged contract, uses the packaged matrix", () => {
    expect(limitMatrix(packagedRuntimeContract)).toBe(packagedCapabilityMatrix);
  });
});
