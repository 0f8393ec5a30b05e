import { expect, test } from "vitest";
import type { RuntimeContract } from "../../../src/core/api/facts.ts";
import { exportedValues } from "../../../src/core/env/export.ts";
import { effectiveValues, toReadResponse } from "../../../src/core/env/env-file.ts";
import { defaultOf } from "../../../src/core/env/runtime-keys.ts";
import { packagedRuntimeContract } from "../../../src/core/project/facts/packaged.generated.ts";

const KEY = "SVC_HTTP_FRAMEWORK";
const contract: RuntimeContract = packagedRuntimeContract;
const byDefault = defaultOf(contract, KEY);

test.each([
  ["a value", [`${KEY}=fastify\n`], "fastify"],
  ["an empty value", [`${KEY}=\n`], byDefault],
  ["no value", [""], byDefault],
  ["a later layer", [`${KEY}=fastify\n`, `${KEY}=restify\n`], "restify"],
  ["a later layer without it", [`${KEY}=fastify\n`, "OTHER=x\n"], "fastify"],
  ["twice in a file", [`${KEY}=fastify\n${KEY}=restify\n`], "restify"],
])("an editable key shows its value, or else its default: %s", (_what, texts, expected) => {
  const values = effectiveValues(texts.map((text) => ({ text })));
  const shown = toReadResponse(contract, { environment: "dev", fileName: ".env.dev" }, values);
  expect(byDefault).not.toBe("");
  expect(shown.values[KEY]).toBe(expected);
});

test("an export withholds what no answer shows: secrets, unlisted keys and credentials", () => {
  const values = new Map([
    [KEY, "fastify"],
    ["SVC_WEBSOCKET_REDIS_URL", "redis://user:canary@h:1"],
    ["OTHER", "canary"],
  ]);
  const exported = exportedValues(contract, values);
  expect(exported).toEqual({ values: { [KEY]: "fastify" }, withheld: ["SVC_WEBSOCKET_REDIS_URL", "OTHER"] });
  const open = exportedValues(contract, new Map([["SVC_WEBSOCKET_REDIS_URL", "redis://h:1"]]));
  expect(open.values).toEqual({ SVC_WEBSOCKET_REDIS_URL: "redis://h:1" });
});
