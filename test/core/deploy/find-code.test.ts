/** The origin of a release, and the files of a checkout that nothing has decided about. */
import { describe, expect, test } from "vitest";
import { SvcmError } from "../../../src/core/api/errors.ts";
import { foreignCode } from "../../../src/core/api/issue.ts";
import { findCode, requireDecided } from "../../../src/core/deploy/find-code.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { makeWorld, type World } from "./release-world.ts";

const [A, B] = ["a".repeat(40), "b".repeat(40)];

describe("the code of a deploy", () => {
  interface Origin {
    readonly source?: string;
    readonly checkout?: Error;
    readonly head?: string;
    readonly urls?: readonly (readonly [string, string])[];
  }
  const find = async ({ source, checkout, head = A, urls = [["origin", "https://host/a"]] }: Origin, from?: string) => {
    const reported: string[] = [];
    const git = {
      readCheckout: async () => {
        if (checkout !== undefined) throw checkout;
        return { top: "/srv/app", prefix: "", urls: new Map(urls), upstream: undefined, settings: [] };
      },
      fetch: async () => undefined,
      defaultBranch: async () => "main",
      isShallow: () => false,
      resolve: async (where: string, name: string) =>
        where === "checkout"
          ? name === "refs/heads/main"
            ? head
            : undefined
          : name === "refs/heads/main" || name === A
            ? A
            : undefined,
    };
    const context = {
      ports: { workspace: { root: "/srv/app" } },
      caller: { say: (text: string) => void reported.push(text) },
      settings: { source, timeoutMs: 1 },
      deploys: {
        git: () => git,
        releaseFile: async (path: string, { root }: { root: string }) => `${path} in ${root}`,
      },
      root: { layout: layoutOf("/d"), realPath: (path: string) => path },
      notes: [] as string[],
    };
    const answer = await findCode(context as never, { revision: "main", from }).catch((error: unknown) => error);
    return { answer, reported, notes: context.notes };
  };

  test("is a release file, relative to the repository", async () => {
    expect(await find({}, "../shop.tgz")).toMatchObject({
      answer: "/srv/shop.tgz in /d",
      reported: ["read: ../shop.tgz"],
    });
  });

  test.each([
    ["a remote", {}, "fetch: origin"],
    ["a path", { source: "/srv/origin.git" }, "fetch: /srv/origin.git"],
    ["a URL, which may have credentials", { source: "https://ann:secret@host/a.git" }, "fetch: the source"],
  ])("comes from %s", async (_what, origin, line) => {
    const { answer, reported } = await find(origin);
    expect(answer).toMatchObject({ found: { commit: A }, checkout: { top: "/srv/app" } });
    expect(reported[0]).toBe(line);
  });

  test("is not what was not pushed, and that is named", async () => {
    expect((await find({})).notes).toEqual([]);
    expect((await find({ head: B })).notes).toEqual([
      "The checkout has the commit bbbbbbb, which no branch or tag of origin has. It is not deployed: this deploy is of aaaaaaa.",
    ]);
  });

  test("needs a repository only if svcm.yaml names no source", async () => {
    const none = (code: string) =>
      new SvcmError("REVISION_FAILED", { code: foreignCode(code), path: "/srv/app", details: "x", hint: "y" });
    const source = "https://host/a.git";
    expect((await find({ checkout: none("GIT_NO_REPOSITORY"), source })).answer).toMatchObject({
      checkout: { top: "/srv/app" },
    });
    expect((await find({ checkout: none("GIT_NO_REPOSITORY") })).answer).toMatchObject({
      kind: "DEPLOY_FAILED",
      body: { code: "DEPLOY_SOURCE_UNKNOWN", path: "/srv/app", details: "x" },
    });
    expect((await find({ checkout: none("GIT_MISSING") })).answer).toMatchObject({
      body: { code: "GIT_MISSING", hint: "y" },
    });
    const defect = new TypeError("x");
    expect((await find({ checkout: defect })).answer).toBe(defect);
  });
});

describe("while an app runs in the checkout, its files there", () => {
  const decide = async (world: World) => {
    const made = makeWorld({ apps: [{ name: "web" }, { name: "jobs" }], ...world });
    const answer = await requireDecided(await made.context(), made.code, made.world).then(
      () => made.notes.map((one) => one.replace(made.checkout.root, "checkout")),
      ({ kind, body }: SvcmError) => ({ kind, code: body.code, details: body.details }),
    );
    return answer;
  };
  const others = ["data.db", "uploads/", "web.log", "node_modules/"];

  test.each<[string, World]>([
    ["run elsewhere", { others }],
    ["are of another ecosystem file", { others, inPlace: ["other"] }],
    ["have only what Git has", { inPlace: ["web"] }],
    ["are decided about", { others, inPlace: ["web"], deploy: "{ shared: [uploads], left: [data.db] }" }],
    ["are in the release, too", { others: ["data.db"], inPlace: ["web"], release: { "data.db": "" } }],
  ])("need no decision if the apps %s", async (_what, world) => {
    expect(await decide(world)).toEqual([]);
  });

  test("have to be shared or left", async () => {
    expect(await decide({ others, inPlace: ["web", "other"] })).toEqual({
      kind: "DEPLOY_FAILED",
      code: "DEPLOY_UNDECIDED",
      details: "web runs in the checkout, which has files that the release lacks:\n  data.db\n  uploads/",
    });
  });

  test.each([
    [10, ""],
    [11, "\n  and 1 more"],
  ])("are named, at most ten: of %i", async (count, rest) => {
    const names = Array.from({ length: count }, (_, at) => `file${at}`);
    const { details } = (await decide({ others: names, inPlace: ["web", "jobs"] })) as { details: string };
    expect(details).toMatch(/^web, jobs run in the checkout/);
    expect(details.endsWith(`\n  file9${rest}`)).toBe(true);
  });

  test("are only named by --adopt, which moves nothing", async () => {
    const deploy = "{ shared: [uploads] }";
    expect(await decide({ others, inPlace: ["web"], isAdopting: true, deploy })).toEqual([
      "web in checkout will run in the release. Nothing is moved.",
      "shared: uploads, which stays where it is",
      "undecided: data.db; name it in deploy.shared or deploy.left",
    ]);
  });
});
