/** The YAML files, the description of the API and its answers agree. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ask, ENV, post, testServer } from "./support.ts";
import { longTest } from "../support/runs.ts";

interface Spec {
  readonly tier: string;
  readonly kind: string;
  readonly reason?: string;
  readonly values?: readonly string[];
  readonly allowEmpty?: boolean;
  readonly default?: string;
  readonly rejected?: Readonly<Record<string, string>>;
  readonly aliases?: Readonly<Record<string, string>>;
}

const yaml = parse(readFileSync(join(import.meta.dirname, "../../config/runtime-contract.yaml"), "utf8")) as {
  readonly keys: Readonly<Record<string, Spec>>;
  readonly tiers: Readonly<Record<string, { reason: string }>>;
  readonly environments: Readonly<Record<string, { aliases?: readonly string[] }>>;
};
const ofTier = (tier: string): [string, Spec][] => Object.entries(yaml.keys).filter(([, spec]) => spec.tier === tier);
const editable = ofTier("editable");
const urls = ["redis://h", "redis://127.0.0.1:6379", "rediss://cache.example:6380/0", "redis://[::1]:6379"];
const accepted = ({ values = urls, allowEmpty }: Spec): string[] => [...values, ...(allowEmpty === true ? [""] : [])];

test("the nine editable and fourteen read-only keys of the specification", () => {
  expect([editable.length, ofTier("read-only").length]).toEqual([9, 14]);
});

test("contract, read and write have the same allowlist", async () => {
  const server = await testServer();
  const contract = (await ask(server, "/api/runtime/contract")).json.runtimeContract;
  const read = (await ask(server, ENV)).json;
  const names = editable.map(([key]) => key);
  const described = Object.entries<Spec>(contract.keys).filter(([, spec]) => spec.tier === "editable");
  expect(described.map(([key]) => key)).toEqual(names);
  expect(read.editableKeys).toEqual(names);
  expect(Object.keys(read.values)).toEqual([...names, ...ofTier("read-only").map(([key]) => key)]);
  expect(Object.keys(contract.keys)).toEqual(Object.keys(read.values));
  expect(Object.values<Spec>(contract.keys).map(({ reason }) => reason)).toEqual(
    [...editable, ...ofTier("read-only")].map(([, { tier, reason }]) => reason ?? yaml.tiers[tier]?.reason),
  );
  expect(contract.environmentSpellings).toEqual(
    Object.entries(yaml.environments).flatMap(([name, { aliases = [] }]) => [name, ...aliases]),
  );
});

test("the API's description lists the same values", async () => {
  const document = (await ask(await testServer(), "/api/openapi.json")).json;
  const { values } = document.paths[ENV].post.requestBody.content["application/json"].schema.properties;
  const described = Object.entries<{ enum?: string[] }>(values.properties).map(([key, schema]) => [key, schema.enum]);
  expect(described).toEqual(editable.map(([key, spec]) => [key, spec.values && accepted(spec)]));
});

describe.each(editable)("%s", (key, spec) => {
  test("accepts every listed value, and a read returns it", async () => {
    const server = await testServer();
    const described = (await ask(server, "/api/runtime/contract")).json.runtimeContract.keys[key].accepted;
    if (spec.kind === "enum") expect(described).toEqual(accepted(spec));
    for (const value of accepted(spec)) {
      const answer = await post(server, { values: { [key]: value } });
      expect({ value, status: answer.status }).toEqual({ value, status: 200 });
      const { values } = (await ask(server, ENV)).json;
      expect(values[key]).toBe(value === "" ? spec.default : value);
      expect(values).toEqual(answer.json.values);
    }
  });

  longTest("refuses values that are similar to accepted ones", async () => {
    const server = await testServer();
    const before = server.text();
    for (const value of nearMisses(spec)) {
      const answer = await post(server, { values: { [key]: value } });
      expect({ value, status: answer.status }).toEqual({ value, status: 400 });
      expect(answer.json.details).toContain(key);
    }
    expect(server.text()).toBe(before);
  });
});

function nearMisses(spec: Spec): string[] {
  const known = accepted(spec);
  const variants = known.flatMap((value) => [
    ` ${value}`,
    `${value} `,
    `${value}x`,
    `"${value}"`,
    value.slice(0, -1),
    value.toUpperCase(),
    value.toLowerCase(),
  ]);
  const named = [
    ...Object.keys(spec.rejected ?? {}),
    ...Object.keys(spec.aliases ?? {}),
    "",
    "constructor",
    "__proto__",
    "null",
    "derby",
    "sails",
    "hyper-express",
  ];
  const wrongUrls = [
    "http://h",
    "redis:/h",
    "redis://",
    "redis://u@h",
    "redis://:p@h",
    "redis://u:p@h",
    "redis://h a",
    "//h",
    "REDIS//h",
    "redis://h\\@x",
  ];
  if (spec.kind !== "enum") return [...wrongUrls, ...named.filter((value) => value !== "")];
  return [...new Set([...variants, ...named])].filter((value) => !known.includes(value));
}
