import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";

const root = fileURLToPath(new URL("../../", import.meta.url));
const config = "apps/backend-template/src/config";

const session: readonly (readonly string[])[] = [
  ["env", "diff", "dev", "ci"],
  ["env", "set", "SVC_HTTP_FRAMEWORK=fastify", "--dry-run"],
  ["env", "set", "SVC_HTTP_FRAMEWORK=fastify"],
  ["env", "set", "SVC_HTTP_FRAMEWORK=sails", "SVC_WEBSOCKET_REDIS_URL=redis://ann:secret@10.0.0.5:6379"],
  ["startup", "check", "grpc"],
  ["audit"],
];

const colours: Record<string, string> = {
  31: "#f47067",
  32: "#57ab5a",
  33: "#c69026",
  36: "#39c5cf",
  1: "bold",
  2: "#768390",
};

export async function drawTerminal(browser: Browser, path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "svcm-picture-"));
  try {
    cpSync(join(root, config), join(folder, config), { recursive: true });
    const screens = session.map((args) => `\u001B[32m$\u001B[0m svcm ${args.join(" ")}\n${run(folder, args)}`);
    await draw(browser, screens.join("\n"), path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(folder: string, args: readonly string[]): string {
  const env = { PATH: process.env["PATH"], FORCE_COLOR: "1", HOME: folder };
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, "bin/run.js"), ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return `${stdout}${stderr}`;
}

async function draw(browser: Browser, text: string, path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1060, height: 400 }, deviceScaleFactor: 2 });
  await page.setContent(`<style>
      body { margin: 0; padding: 20px 24px; background: #1c2128; color: #d3dae2; display: inline-block; }
      pre { margin: 0; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; white-space: pre-wrap; width: 1012px; }
      .bold { font-weight: 700; color: #f0f3f6; }
    </style><pre>${toHtml(text)}</pre>`);
  await page.locator("body").screenshot({ path });
  await page.close();
}

function toHtml(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // oxlint-disable-next-line no-control-regex -- the escape character is what a colour begins with
  return escaped.replaceAll(/\u001B\[(\d+)m([^\u001B]*)/g, (_, code: string, part: string) => {
    const style = colours[code];
    if (style === undefined) return part;
    return style === "bold" ? `<span class="bold">${part}</span>` : `<span style="color:${style}">${part}</span>`;
  });
}
