/** The project and the service to which a deploy root belongs. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployRoot } from "../../../src/core/deploy/machine/root.ts";
import { makeRepository } from "../../support/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const owner = { pm2Home: "/home/.pm2", environment: "dev", checkout: import.meta.dirname, service: "", services: [] };

test("a root of one service is refused to another one, and not to the same one under a new name", async () => {
  const root = deployRoot(temporaryFolder());
  await root.claim({ ...owner, service: "api", services: ["api", "mail"] });
  await expect(root.claim({ ...owner, service: "mail", services: ["api", "mail"] })).rejects.toMatchObject({
    body: {
      code: "DEPLOY_ROOT_TAKEN",
      details: expect.stringContaining("the service api, and this is the service mail"),
    },
  });
  await root.claim({ ...owner, service: "backend", services: ["backend", "mail"] });
});

test("a root stays with its project if svcm.yaml moves to another folder of the repository", async () => {
  const root = deployRoot(temporaryFolder());
  const { root: checkout } = makeRepository({
    "svcm.yaml": "",
    "apps/shop/package.json": "{}",
    "apps/mail/svcm.yaml": "",
  });
  const from = (folder: string) => ({ ...owner, checkout: join(checkout, folder) });
  await root.claim(from(""));
  const refused = { body: { code: "DEPLOY_ROOT_TAKEN", hint: expect.stringContaining("owner.json") } };
  await expect(root.claim(from("apps/mail"))).rejects.toMatchObject(refused);
  renameSync(join(checkout, "svcm.yaml"), join(checkout, "apps/shop/svcm.yaml"));
  await root.requireOwn(from("apps/shop"));
  await root.claim(from("apps/shop"));
  await expect(root.requireOwn(from("apps/mail"))).rejects.toMatchObject(refused);
});
