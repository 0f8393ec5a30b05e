import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../../src/core/project/facts/packaged.generated.ts";
import type { Change, Effect, FieldChange } from "../../../../src/core/deployments/diff/change.ts";
import { diffDeployments } from "../../../../src/core/deployments/diff/diff.ts";
import { migrateTarget } from "../../../../src/core/deployments/shape.ts";
import type { Candidate } from "../../../../src/core/deployments/file.ts";
import { longTest, propertyRuns } from "../../../support/runs.ts";

const vocabulary = { contract, matrix };

function oneOf(...values: unknown[]): fc.Arbitrary<unknown> {
  return fc.constantFrom(...values);
}

const target = fc.record(
  {
    name: oneOf("a", "A", "b", "c", "", 7, "d"),
    region: oneOf("eu", "us"),
    runtime: oneOf("node20", "node22", 22),
    serviceType: oneOf(...Object.keys(matrix.serviceTypes), "?"),
    deployTarget: oneOf("vm", "lambda", "heroku"),
    pm2Profile: oneOf(...matrix.pm2Profiles),
    type: oneOf("dedicated", "lambda", "heroku"),
    tags: oneOf(null, ["x"], { b: 1, a: 2 }),
  },
  { requiredKeys: [] },
);
const adapter = fc.record(
  {
    type: oneOf(...Object.keys(matrix.interfaceTypes), "?"),
    framework: oneOf("express", "grpc"),
    entrypoint: oneOf("src/interface/a.ts", "src/interface/b.ts"),
    controller: oneOf("AController.a", "BController.b"),
  },
  { requiredKeys: [] },
);
const port = oneOf(1, "1", " 1 ", 2, "x", null, {});
const configuration = fc.record(
  {
    serviceKind: oneOf(...Object.keys(matrix.serviceKinds), "?"),
    runMode: oneOf(...Object.keys(matrix.runModes)),
    cloudProvider: oneOf("aws", "?"),
    ports: fc.oneof(fc.record({ rest: port, websocket: port, grpc: port }, { requiredKeys: [] }), oneOf("none", [])),
  },
  { requiredKeys: [] },
);
const document: fc.Arbitrary<Candidate> = fc.record(
  {
    version: oneOf("service-management.v1", "2"),
    runtimeEnvironment: oneOf("dev", "development", "ci", "?", null, 1),
    serviceConfiguration: fc.oneof({ weight: 4, arbitrary: configuration }, { weight: 1, arbitrary: oneOf(null, 1) }),
    interfaces: fc.oneof(fc.array(adapter, { maxLength: 5 }), oneOf(null, "text")),
    deployments: fc.oneof(
      { weight: 8, arbitrary: fc.array(fc.oneof(target, oneOf("text", null)), { maxLength: 6 }) },
      { weight: 1, arbitrary: oneOf(null, "text") },
    ),
    owner: oneOf("ann", "bob"),
  },
  { requiredKeys: [] },
);

const often = propertyRuns(150, 2000);

test("a document does not differ from itself", () => {
  fc.assert(
    fc.property(document, (one) => {
      expect(diffDeployments(one, structuredClone(one), vocabulary)).toEqual({ changes: [], notes: [] });
    }),
    often,
  );
});

test("the difference from new to old mirrors the difference from old to new", () => {
  fc.assert(
    fc.property(document, document, (a, b) => {
      const [there, back] = [diffDeployments(a, b, vocabulary), diffDeployments(b, a, vocabulary)];
      expect(sorted(back.changes.map(inverse))).toEqual(sorted(there.changes));
      expect(back.notes.filter(({ kind }) => kind === "reordered")).toEqual(
        there.notes.filter(({ kind }) => kind === "reordered"),
      );
    }),
    often,
  );
});

longTest("equally likely renames are the same in both directions", () => {
  const alike = fc.array(
    fc.record({
      region: oneOf("eu", "us", "asia"),
      runtime: oneOf("node20", "node22"),
      a: oneOf(1, 2),
      b: oneOf(1, 2),
    }),
    { maxLength: 4 },
  );
  const named = (prefix: string) => (list: object[]) =>
    list.map((one, index) => ({ ...one, name: `${prefix}${index}`, deployTarget: "vm" }));
  fc.assert(
    fc.property(alike.map(named("a")), alike.map(named("b")), (a, b) => {
      const there = diffDeployments({ deployments: a }, { deployments: b }, vocabulary);
      const back = diffDeployments({ deployments: b }, { deployments: a }, vocabulary);
      expect(sorted(back.changes.map(inverse))).toEqual(sorted(there.changes));
    }),
    often,
  );
});

longTest("applying the changes to the old deploy targets returns the new ones", () => {
  const named = fc
    .uniqueArray(fc.tuple(oneOf("a", "A", "b", "c", "d", "e"), target), {
      maxLength: 6,
      selector: ([name]) => String(name).toLowerCase(),
    })
    .map((list) => list.map(([name, rest]): Candidate => ({ ...rest, name })));
  fc.assert(
    fc.property(named, named, (a, b) => {
      const { changes } = diffDeployments({ deployments: a }, { deployments: b }, vocabulary);
      expect(sorted(applied(a.map(today), changes))).toEqual(sorted(b.map(today)));
    }),
    often,
  );
});

test("a different order alone is a note, not a change", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(target, { minLength: 2, selector: ({ name }) => String(name).toLowerCase() }),
      (targets) => {
        const diff = diffDeployments({ deployments: targets }, { deployments: targets.toReversed() }, vocabulary);
        expect(diff).toEqual({ changes: [], notes: [{ kind: "reordered", section: "deployments" }] });
      },
    ),
    often,
  );
});

describe("the effect of a change", () => {
  const one = {
    name: "a",
    region: "eu",
    runtime: "node22",
    serviceType: "restapi",
    deployTarget: "vm",
    pm2Profile: "dev",
  };
  const effects = (matrixNow: typeof matrix, to: Candidate): readonly Effect[] =>
    diffDeployments({ deployments: [one] }, { deployments: [to] }, { contract, matrix: matrixNow }).changes.flatMap(
      (change) => change.effects,
    );

  test("depends only on the capability matrix", () => {
    const changed = { ...one, runtime: "node24" };
    const touched = { kind: "process", action: "touch", ecosystem: "ecosystem.dev.config.cjs" };
    expect(effects(matrix, changed)).toEqual([{ ...touched, appSuffixes: ["restapi"] }]);
    const kinds = {
      ...matrix.serviceKinds,
      "rest-api": { label: "REST", ports: ["rest" as const], appSuffixes: ["http", "jobs"] },
    };
    expect(effects({ ...matrix, serviceKinds: kinds }, changed)).toEqual([
      { ...touched, appSuffixes: ["http", "jobs"] },
    ]);
    const managed = {
      ...matrix.deployTargetGroups,
      "pm2-managed": { label: "?", pm2Managed: false, serviceTypes: ["restapi"] },
    };
    expect(effects({ ...matrix, deployTargetGroups: managed }, changed)).toEqual([
      { kind: "provider", action: "touch", provider: "Virtual machine" },
    ]);
  });

  test("is unknown if a repository's own matrix has no service kind for a service type", () => {
    const types = { ...matrix.serviceTypes, restapi: { label: "REST", protocols: ["http"] } };
    expect(effects({ ...matrix, serviceTypes: types }, { ...one, runtime: "node24" })).toEqual([
      { kind: "unknown", field: "serviceType", value: "restapi" },
    ]);
  });

  test("of another profile stops the apps of one ecosystem file and starts those of the other", () => {
    expect(effects(matrix, { ...one, pm2Profile: "staging" })).toEqual([
      { kind: "process", action: "stop", ecosystem: "ecosystem.dev.config.cjs", appSuffixes: ["restapi"] },
      { kind: "process", action: "start", ecosystem: "ecosystem.staging.config.cjs", appSuffixes: ["restapi"] },
    ]);
  });
});

longTest("ten thousand renamed deploy targets are found in linear time, by their content", () => {
  const targets = (prefix: string) =>
    Array.from({ length: 10_000 }, (_, index) => ({
      name: `${prefix}${index}`,
      region: `r${index}`,
      deployTarget: "vm",
    }));
  const { changes } = diffDeployments({ deployments: targets("a") }, { deployments: targets("b") }, vocabulary);
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(["renamed"]));
  expect(changes[9_999]).toMatchObject({ name: "b9999", previousName: "a9999" });
});

function today(entry: Candidate): Candidate {
  return migrateTarget(entry, vocabulary);
}

function inverse(change: Change): Change {
  const { previousName, name, ...rest } = change;
  const turned = previousName === undefined ? { name } : { name: previousName, previousName: name };
  return {
    ...rest,
    ...(change.section === "interfaces" ? {} : turned),
    kind: INVERSE[change.kind],
    fields: change.fields.map(({ field, from, to }): FieldChange => ({ field, from: to, to: from })),
    effects: change.effects.map((effect) =>
      "action" in effect ? { ...effect, action: INVERSE_ACTION[effect.action] } : effect,
    ),
  } as Change;
}

const INVERSE = { added: "removed", removed: "added", renamed: "renamed", changed: "changed" } as const;
const INVERSE_ACTION = { start: "stop", stop: "start", touch: "touch" } as const;

/** Texts that do not depend on the order of lists, properties and suffixes. The name of an adapter is from one side only. */
function sorted(list: readonly unknown[]): string[] {
  return list.map((one) => JSON.stringify(canonical(one))).toSorted();
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(canonical(one))).toSorted();
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, member]) =>
      member !== undefined && !(key === "name" && "section" in value && value.section === "interfaces"),
  );
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, canonical(member)]),
  );
}

function applied(targets: readonly Candidate[], changes: readonly Change[]): Candidate[] {
  const kept = new Map(targets.map((one) => [one["name"], one]));
  const next = changes.flatMap(({ kind, name = "", previousName = name, fields }): Candidate[] => {
    const old = kind === "added" ? {} : kept.get(previousName);
    expect(old, previousName).toBeDefined();
    if (kind !== "added") kept.delete(previousName);
    return kind === "removed"
      ? []
      : [{ ...old, name, ...Object.fromEntries(fields.map(({ field, to }) => [field, to])) }];
  });
  return [...kept.values(), ...next];
}
