/** A repository with several services whose processes run under one real PM2. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testServer, type Repository, type TestServer } from "../server/support.ts";
import type { Pm2 } from "../support/pm2-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

export interface ServiceRepository extends Repository {
  text(service: string): string;
}

/** Each service has a folder with `.env` and an ecosystem file of `<service>-api` and `<service>-worker`. */
export function serviceRepository(names: readonly string[]): ServiceRepository {
  const root = temporaryFolder();
  const services = names.map((name) => {
    const folder = join(root, name);
    mkdirSync(folder);
    writeFileSync(join(folder, ".env"), `SVC_HTTP_FRAMEWORK=${name === names[0] ? "koa" : "hapi"}\n`);
    writeFileSync(join(folder, "idle.cjs"), "setInterval(() => {}, 1e6);");
    const apps = ["api", "worker"].map((kind) => ({ name: `${name}-${kind}`, script: "./idle.cjs" }));
    writeFileSync(join(folder, "ecosystem.config.cjs"), `module.exports = ${JSON.stringify({ apps })};`);
    return `  ${name}: { folder: ${name}, env: { dev: .env }, ecosystem: { dev: { file: ecosystem.config.cjs, cwd: . } } }`;
  });
  writeFileSync(
    join(root, "svcm.yaml"),
    ["version: 1", "environments: { dev: [] }", "services:", ...services].join("\n"),
  );
  const envFile = (service: string): string => join(root, service, ".env");
  return {
    root,
    envFile,
    auditFile: join(root, ".svcm/audit.jsonl"),
    text: (service) => readFileSync(envFile(service), "utf8"),
  };
}

export function serviceServer(repository: Repository, real: Pm2): Promise<TestServer> {
  return testServer({ repository, env: { PM2_HOME: real.home, HOME: real.folder, PATH: process.env["PATH"] } });
}

export async function runApi(real: Pm2, { root }: Repository, service: string): Promise<void> {
  const cwd = join(root, service);
  await real.run({ name: `${service}-api`, cwd, script: join(cwd, "idle.cjs") });
}
