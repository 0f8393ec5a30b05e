/** A team's own repository: `api`, `worker` and `nightly` under PM2, with env files, in Git, as `svcm init` leaves it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { plainEnvironment, RUN } from "./command-line.ts";
import { COMMIT, GIT_ENVIRONMENT, INIT } from "./git.ts";

const VALUES = "PAGE_SIZE=20\nLOG_LEVEL=info\nDATABASE_URL=postgres://shop:secret-word@127.0.0.1/shop\n";

const filesOf = (port: number): Record<string, string> => ({
  "package.json": '{ "name": "shop", "version": "1.0.0", "private": true }\n',
  "ecosystem.config.js": `module.exports = {
  apps: [
    { name: "api", script: "src/api.js", exec_mode: "cluster", instances: 2, kill_timeout: 5000, env: { PORT: "${port}" }, env_production: { NODE_ENV: "production" } },
    { name: "worker", script: "src/worker.js", kill_timeout: 5000 },
    { name: "nightly", script: "src/nightly.js", cron_restart: "0 3 * * *", autorestart: false },
  ],
};
`,
  "src/api.js": `require("http").createServer((_, response) => response.end("shop\\n")).listen(process.env.PORT);\nconsole.log("listening");\n`,
  "src/worker.js": `console.log(JSON.stringify({ level: "info", msg: "waiting" }));\nsetInterval(() => {}, 1e6);\n`,
  "src/nightly.js": 'console.log("done");\n',
  ".env": VALUES,
  ".env.production": VALUES.replace("20", "50"),
  ".env.example": VALUES.replace(/postgres:.*/, ""),
  ".gitignore": ".env\n.env.production\n.svcm\nnode_modules\n",
});

/** @param edit what the team changes in the svcm.yaml of `svcm init`, which permits no change of a key */
export function makeShop(root: string, port: number, edit = ""): void {
  for (const [file, text] of Object.entries(filesOf(port))) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const env = plainEnvironment({ ...GIT_ENVIRONMENT, PM2_HOME: join(root, ".git/no-pm2") });
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, env, stdio: "pipe" });
  run("sh", "-c", `${INIT} && ${COMMIT}`, "sh", "The shop");
  run(process.execPath, RUN, "init", "--yes");
  if (edit !== "") run(process.execPath, RUN, ...edit.split(" "));
  run("sh", "-c", COMMIT, "sh", "svcm.yaml");
}
