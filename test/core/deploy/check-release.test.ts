/** A release is checked as a checkout is, and what only the checkout can put right is named there. */
import { describe, expect, test } from "vitest";
import { checkRelease } from "../../../src/core/deploy/check-release.ts";
import { SvcmError } from "../../../src/core/api/errors.ts";
import type { DeployPorts } from "../../../src/core/deploy/deploy-context.ts";
import { makeWorld, type World } from "./release-world.ts";

async function check(world: World) {
  const made = makeWorld(world);
  const answer = await checkRelease(await made.context(), made.world).then(
    ({ apps }) => apps.map(({ fields }) => fields["name"]),
    ({ kind, body }: SvcmError) => ({ kind, ...body }),
  );
  return { answer, ...made };
}

test("a valid release passes, with a note for a variable that leads out of it", async () => {
  const { answer, notes } = await check({ apps: [{ name: "web", env: { DATA: "/nowhere" } }] });
  expect([answer, notes]).toEqual([["web"], []]);
  const made = makeWorld();
  const apps = [{ name: "web", env: { DATA: `${made.checkout.root}/data` } }];
  const other = makeWorld({ apps });
  Object.assign((other.world as { paths: object }).paths, { from: [made.checkout.root] });
  await checkRelease(await other.context(), other.world);
  expect(other.notes).toEqual([
    "The variable web: DATA names the checkout or current; svcm does not change values of variables.",
  ]);
});

describe("the env file", () => {
  test("that is nowhere is named in the checkout, because the folder of the release is removed", async () => {
    const more = "env: { production: .env.web }\nkeys:\n  PORT: { kind: integer, tier: read-only }\n";
    const { answer, checkout } = await check({ more });
    const path = `${checkout.root}/.env.web`;
    expect(answer).toEqual({
      kind: "DEPLOY_FAILED",
      code: "ENV_FILE_NOT_FOUND",
      path,
      details: "The env file .env.web is neither in the commit, nor in the checkout, nor in /d/shared.",
      hint: `Create ${path}, and deploy again: svcm shares it with each release. Or name another environment with --environment.`,
    });
  });

  test("with an error is refused, and only errors are listed, at most 20", async () => {
    const names = Array.from({ length: 21 }, (_, at) => `SIZE_${at + 10}`);
    const keys = names.map((name) => `  ${name}: { kind: integer, tier: read-only }\n`).join("");
    const more = `env: { production: .env.production }\nkeys:\n${keys}`;
    const text = [...names.map((name) => `${name}=x`), "UNKNOWN=1", ""].join("\n");
    const { answer } = await check({ more, release: { ".env.production": text } });
    expect(answer).toMatchObject({ kind: "DEPLOY_FAILED", code: "DEPLOY_CHECK_FAILED" });
    const [first, ...lines] = (answer as { details: string }).details.split("\n");
    expect(first).toBe("svcm env check found errors in .env.production:");
    expect(lines).toHaveLength(20);
    expect(answer).not.toHaveProperty("hint");
  });

  test("that cannot be read is named as it is", async () => {
    const more = "env: { production: .env.web }\nkeys:\n  PORT: { kind: integer, tier: read-only }\n";
    const { answer, release } = await check({ more, release: { ".env.web/x": "" } });
    expect(answer).toMatchObject({ kind: "ENV_FILE_FAILED", code: "EISDIR", path: `${release.root}/.env.web` });
  });

  test("of each service is judged, and only its errors are named", async () => {
    const keys = "keys:\n  PORT: { kind: integer, minimum: 1, tier: read-only }\n";
    const more = `services:
  api: { folder: api, env: { production: .env.api }, ecosystem: { production: ecosystem.config.cjs } }
  jobs: { folder: jobs, env: { production: .env.jobs }, ecosystem: { production: jobs.config.cjs } }
${keys}`;
    const valid = { "api/.env.api": "PORT=3000\nOTHER=1\n", "jobs/.env.jobs": "PORT=1\n" };
    expect((await check({ more, release: valid })).answer).toEqual(["web"]);
    const { answer } = await check({ more, release: { ...valid, "api/.env.api": "PORT=0\nOTHER=1\n" } });
    expect(answer).toMatchObject({
      details: expect.stringMatching(/^svcm env check found errors in \.env\.api:\n {2}[A-Z_]+: PORT[^\n]*$/),
    });
  });

  test.each([
    ["without keys is not judged", "env: { production: .env.production }\n"],
    [
      "of another environment is not read",
      "env: { dev: .env.dev }\nkeys:\n  PORT: { kind: integer, minimum: 1, tier: read-only }\n",
    ],
  ])("%s", async (_what, more) => {
    expect((await check({ more, release: { ".env.production": "PORT=0\n" } })).answer).toEqual(["web"]);
  });
});

describe("the ecosystem file", () => {
  test("with an app whose script is missing is refused, with the reason why the checkout has it", async () => {
    const { answer } = await check({ hasScript: false });
    expect(answer).toMatchObject({
      kind: "DEPLOY_FAILED",
      code: "DEPLOY_CHECK_FAILED",
      details: expect.stringMatching(
        /^svcm ecosystem check found errors in ecosystem\.config\.cjs:\n {2}ECOSYSTEM_SCRIPT_MISSING: web/,
      ),
      hint: expect.stringMatching(/^A release has what is committed and what its build writes/),
    });
  });

  const withoutFile = async (hasProject: boolean): Promise<unknown> => {
    const made = makeWorld({ environment: "staging" });
    const { facts } = made.world as { facts: DeployPorts["facts"] };
    const contract = { ...(await facts.runtimeContract()), environments: { staging: { file: ".env" } } };
    const project = hasProject ? {} : { project: async () => undefined };
    Object.assign(made.world, { facts: { ...facts, ...project, runtimeContract: async () => contract } });
    return await checkRelease(await made.context(), made.world).catch(({ body }: SvcmError) => body);
  };

  test("that the environment does not have is named, with the way to one", async () => {
    const missing = { code: "DEPLOY_CHECK_FAILED", details: expect.stringContaining("no ecosystem file for staging") };
    const commit = expect.stringMatching(/^Commit and push the file/);
    expect(await withoutFile(true)).toMatchObject({ ...missing, hint: commit });
    const init = expect.stringMatching(/^svcm init looks for the file/);
    expect(await withoutFile(false)).toMatchObject({ ...missing, hint: init });
  });
});

test("a declared ecosystem file that neither the commit nor the build has is named by its service", async () => {
  const more = "services:\n  api: { folder: api, ecosystem: { production: ecosystem.config.cjs } }\n";
  const made = makeWorld({ more });
  const { facts, ecosystems } = made.world as Pick<DeployPorts, "facts" | "ecosystems">;
  const path = `${made.release.root}/api/ecosystem.config.cjs`;
  const load = () => Promise.reject(new SvcmError("ECOSYSTEM_FILE_FAILED", { code: "ENOENT", path }));
  const world = { ...(made.world as object), facts, ecosystems: { ...ecosystems, load } } as never;
  await expect(checkRelease(await made.context(), world)).rejects.toMatchObject({
    body: {
      code: "DEPLOY_NOT_COMMITTED",
      details:
        "The ecosystem file api/ecosystem.config.cjs, which the service api declares in svcm.yaml, is not in the commit, and its build did not write it.",
    },
  });
});
