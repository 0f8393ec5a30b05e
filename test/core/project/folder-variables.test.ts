/** The variables of the folders win over `svcm.yaml`, and svcm says so. */
import { expect, test } from "vitest";
import {
  commandLineCaller,
  envRead,
  execute,
  overrideText,
  overriddenFolders,
  repositoryCheck,
} from "../../../src/core/index.ts";
import { applyFolderVariables, CONFIG_VARIABLE, PM2_VARIABLE } from "../../../src/core/project/folder-variables.ts";
import { readProject } from "../../../src/core/project/read.ts";
import { longTest } from "../../support/runs.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller = commandLineCaller();

const SVCM = `version: 1
environments: { dev: [] }
services:
  orders:
    folder: services/orders
    ecosystem: { dev: { file: ecosystem.config.js, cwd: . } }
    env: { dev: [.env, .env.local] }
keys: { PORT: { kind: port, tier: editable } }
`;

function moved(text: string, variables: Parameters<typeof applyFolderVariables>[2]) {
  const { value, issues } = readProject(text, "svcm.yaml");
  if (value === undefined) throw new Error(JSON.stringify(issues));
  return applyFolderVariables(value, "/srv/shop", variables);
}

test("a folder in the root stays relative, because a release has another root; one outside is absolute", () => {
  const inside = moved(SVCM, { [CONFIG_VARIABLE]: "/srv/shop/other", [PM2_VARIABLE]: "/srv/shop/services/orders" });
  expect(inside.services["orders"]?.env["dev"]?.layers).toEqual(["../../other/.env", "../../other/.env.local"]);
  expect(inside.services["orders"]?.ecosystem["dev"]?.[0]).toMatchObject({ file: "ecosystem.config.js", cwd: "." });
  const outside = moved(SVCM, { [CONFIG_VARIABLE]: "/etc/shop" });
  expect(outside.services["orders"]?.env["dev"]?.layers).toEqual(["/etc/shop/.env", "/etc/shop/.env.local"]);
  expect(outside.services["orders"]?.ecosystem["dev"]?.[0]?.file).toBe("ecosystem.config.js");
});

test("two files that would become one are refused; one file of two services is not", () => {
  const two = (file: string) => `version: 1
environments: { dev: [] }
services:
  orders: { folder: services/orders, env: { dev: ${file} } }
  users: { folder: services/users, env: { dev: ${file} } }
`;
  const variables = { [CONFIG_VARIABLE]: "/etc/shop" };
  expect(() => moved(two(".env"), variables)).toThrow(
    /services\/orders\/\.env and .*services\/users\/\.env would be one/,
  );
  expect(() => moved(two("../.env"), variables)).not.toThrow();
});

test("a variable that decides, and one without effect, are reported", () => {
  const { value } = readProject(SVCM.replace(/ecosystem: .*\n/, "apps: [orders]\n"), "svcm.yaml");
  const variables = { [CONFIG_VARIABLE]: "/etc/shop", [PM2_VARIABLE]: "/etc/pm2" };
  expect(value && overriddenFolders(value, variables).map(overrideText)).toEqual([
    "SVC_SERVICE_MANAGEMENT_CONFIG_DIR wins over svcm.yaml: its env files are those in /etc/shop",
    "SVC_SERVICE_MANAGEMENT_PM2_DIR has no effect, because svcm.yaml names no ecosystem file",
  ]);
  expect(value && overriddenFolders(value, {})).toEqual([]);
});

longTest("env, ecosystem and check use the files of the variables' folders", async () => {
  const app = (name: string) => `module.exports = { apps: [{ name: "${name}", script: "a.js", kill_timeout: 5000 }] };`;
  const { ports } = makeWorkspace(
    {
      "svcm.yaml": SVCM,
      "services/orders/ecosystem.config.js": app("orders"),
      "services/orders/.env": "PORT=1\n",
      "services/orders/a.js": "process.env.PORT; setInterval(() => {}, 1000);",
      "other/ecosystem.config.js": app("orders"),
      "other/.env": "PORT=2\n",
    },
    { [CONFIG_VARIABLE]: "other", [PM2_VARIABLE]: "other" },
  );
  const request = { environment: "dev", service: undefined };
  const env = await execute(envRead, ports, request, caller);
  expect(JSON.stringify(env)).toContain("other/.env.local");
  const { response } = await execute(repositoryCheck, ports, { paths: [], strict: false }, caller);
  expect(response.files).toEqual(expect.arrayContaining(["other/.env", "other/ecosystem.config.js"]));
  expect(response.issues.map(({ code, message }) => `${code} ${message}`)).toEqual([
    expect.stringMatching(/PROJECT_FOLDER_OVERRIDDEN SVC_SERVICE_MANAGEMENT_CONFIG_DIR wins over svcm\.yaml/),
    expect.stringMatching(/PROJECT_FOLDER_OVERRIDDEN SVC_SERVICE_MANAGEMENT_PM2_DIR wins over svcm\.yaml/),
  ]);
});
