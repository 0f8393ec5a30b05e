import { describe, expect, test } from "vitest";
import type { DeploymentsDocument } from "../../../src/console/state/document-store.ts";
import { contentText, mergeDraft } from "../../../src/console/state/declarations.ts";

const version = "service-management.v1" as const;
const a = { name: "a", region: "one", runtime: "node22" };
const b = { name: "b", region: "two", runtime: "node22" };
const documentOf = (deployments: readonly object[], more: object = {}) =>
  ({ version, ...more, deployments }) as DeploymentsDocument;

describe("a draft on top of a changed file", () => {
  test("has the changes of both, property by property", () => {
    const base = documentOf([a, b]);
    const mine = documentOf([{ ...a, region: "mine" }, b, { ...a, name: "c" }]);
    const theirs = documentOf([
      { ...a, runtime: "node24" },
      { ...b, region: "theirs" },
      { ...a, name: "d" },
    ]);
    expect(mergeDraft(base, mine, theirs)).toEqual(
      documentOf([
        { ...a, region: "mine", runtime: "node24" },
        { ...b, region: "theirs" },
        { ...a, name: "d" },
        { ...a, name: "c" },
      ]),
    );
  });

  test("takes precedence if both changed the same property", () => {
    const merged = mergeDraft(
      documentOf([a]),
      documentOf([{ ...a, region: "mine" }]),
      documentOf([{ ...a, region: "theirs" }]),
    );
    expect(merged).toEqual(documentOf([{ ...a, region: "mine" }]));
  });

  test("keeps an entry that one of them deleted and the other changed; two deletions delete", () => {
    const base = documentOf([a, b]);
    const [changedA, changedB] = [
      { ...a, region: "mine" },
      { ...b, region: "theirs" },
    ];
    expect(mergeDraft(base, documentOf([changedA]), documentOf([changedB]))).toEqual(documentOf([changedB, changedA]));
    expect(mergeDraft(base, documentOf([b]), documentOf([b]))).toEqual(documentOf([b]));
    expect(mergeDraft(base, documentOf([b]), base)).toEqual(documentOf([b]));
  });

  test("merges ports of the configuration one by one, and keeps the selected environment of this browser", () => {
    const configuration = (ports: object) => ({ serviceConfiguration: { serviceKind: "rest-api", ports } });
    const merged = mergeDraft(
      documentOf([a], { ...configuration({ rest: 1, grpc: 2 }), runtimeEnvironment: "dev" }),
      documentOf([a], { ...configuration({ rest: 3, grpc: 2 }), runtimeEnvironment: "ci" }),
      documentOf([a], { ...configuration({ rest: 1, grpc: 4 }), runtimeEnvironment: "staging" }),
    );
    expect(merged).toEqual(documentOf([a], { ...configuration({ rest: 3, grpc: 4 }), runtimeEnvironment: "ci" }));
  });

  test("entries without a name are not mixed up", () => {
    const [one, two] = [{ region: "one" }, { region: "two" }];
    expect(mergeDraft(documentOf([one, two]), documentOf([one, two]), documentOf([two]))).toEqual(documentOf([two]));
  });
});

test("the content of a document is the same without empty lists, the version and the selected environment", () => {
  expect(contentText(documentOf([], { runtimeEnvironment: "ci", interfaces: [] }))).toBe(contentText({}));
  expect(contentText(documentOf([a]))).not.toBe(contentText(documentOf([b])));
});
