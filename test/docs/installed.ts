/** The page "Your own backend" in a project with svcm installed from its package. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { plainEnvironment, REPOSITORY } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { install, pack } from "../support/package.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runPage } from "./run-page.ts";

/** The project of the page: `shop.js` answers `shop` on the port of its environment. */
export interface Backend {
  readonly dependencies: readonly string[];
  readonly code: string;
}

export const EXPRESS: Backend = {
  dependencies: ["express"],
  code: `const express = require("express");
const app = express();
app.get("/", (_, response) => response.send("shop\\n"));
app.listen(process.env.PORT);
`,
};

const PAGE = readFileSync(join(REPOSITORY, "docs/tutorial/own-backend.md"), "utf8");

/** Installs the package in a project, and runs the commands of the page from its first section. */
export async function runInstalled({ dependencies, code }: Backend): Promise<string[]> {
  const [root, state, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  onTestFinished(() => endProcesses(home));
  const port = await freePort();
  const [, files = ""] = /```sh\n(printf[\s\S]*?)```/.exec(PAGE) ?? [];
  writeFileSync(join(root, "package.json"), '{ "name": "shop", "private": true }\n');
  install(root, ...dependencies, join(root, pack(root).filename));
  const env = plainEnvironment({
    HOME: home,
    PM2_HOME: home,
    PATH: `${root}/node_modules/.bin:${process.env["PATH"]}`,
  });
  const place = { root, state, env, ports: { 3000: port } };
  const made = await runPage(`\`\`\`sh\ngit init -q\n${files}\`\`\`\n`, place);
  writeFileSync(join(root, "shop.js"), code);
  return [...made, ...(await runPage(PAGE.slice(PAGE.indexOf("## 1.")), place))];
}
