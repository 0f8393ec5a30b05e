/// <reference lib="dom" />
/** Each view in each of its states: accessible, nothing cut off at 400 %, in forced colours, and each control can be hit. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { tabIds } from "../../src/console/state/address.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { repository, testServer } from "../server/support.ts";
import { MISSING, nightEcosystem, nightProcesses } from "../support/bad-night.ts";
import { longTest } from "../support/runs.ts";
import { createToken } from "../support/tokens.ts";
import { axe, overflow } from "./accessibility.ts";
import { handMonitoring } from "./hand-monitoring.ts";
import { openConsole, SIZES } from "./open-console.ts";
import { a, lambda, suiteOf } from "./stored-targets.ts";
import { tooSmall } from "./too-small.ts";

const browser = useBrowser();
/** Without a fleet, the console shows no nodes. */
const views = tabIds.filter((id) => id !== "nodes");
const stored = { "service-management.v1": JSON.stringify(suiteOf(a, lambda)) };

const LOOKS = [
  { look: "wide", size: SIZES.wide, media: { colorScheme: "light", forcedColors: "none" } },
  { look: "phone", size: SIZES.phone, media: { colorScheme: "dark", forcedColors: "none" } },
  { look: "at 400 %", size: { width: 320, height: 256 }, media: { colorScheme: "light", forcedColors: "none" } },
  { look: "in forced colours", size: SIZES.wide, media: { colorScheme: "dark", forcedColors: "active" } },
] as const;

/** A view moves to its place within a few frames, so each fault has to stay. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const { look, size, media } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia(media);
    const faults = async (): Promise<string[]> => [
      ...(await axe(page)),
      ...(await tooSmall(page, 24)),
      ...((await overflow(page)) > 0 ? [`${await overflow(page)} px beyond the window`] : []),
    ];
    const first = await faults();
    const lasting = first.length === 0 ? [] : await faults();
    found.push(...lasting.map((words) => `${name}, ${look}: ${words}`));
  }
  return found;
}

async function inEveryView(page: Page, settle: (id: string) => Promise<unknown> = async () => undefined) {
  const found: string[] = [];
  for (const id of views) {
    await page.setViewportSize(SIZES.wide);
    await page.evaluate((next) => void (location.hash = `#/${next}`), id);
    await page.locator(`#panel.${id} h1`).waitFor();
    await settle(id);
    found.push(...(await faultsOf(page, id)));
  }
  return found;
}

function declaring() {
  const files = repository();
  writeFileSync(join(files.root, "deployments.yaml"), JSON.stringify(suiteOf(a, { ...lambda, runtime: "latest" })));
  return files;
}

describe.skipIf(!hasBrowser)("every view", () => {
  longTest("while each answer is still to come", async () => {
    const { page } = await openConsole(browser, (await testServer()).url, {
      mayFail: true,
      prepare: async (first) => {
        await first.route(/\/api\/(?!runtime\/contract|me$)/, () => new Promise(() => {}));
        await first.routeWebSocket(/./, () => undefined);
      },
    });
    expect(await inEveryView(page)).toEqual([]);
  });

  longTest("while PM2 is silent", async () => {
    const { page, telemetry } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    expect(await inEveryView(page)).toEqual([]);
  });

  longTest("on a bad night, with drafts and a document with an issue", async () => {
    const { page, give, telemetry } = await handMonitoring(browser, {
      mayFail: true,
      stored,
      server: { repository: declaring() },
    });
    await telemetry.watchers(1);
    give(nightProcesses, nightEcosystem);
    await page.getByRole("region", { name: "Attention" }).getByText(MISSING.join(", ")).waitFor();
    expect(await inEveryView(page)).toEqual([]);
  });

  longTest("after the server is gone", async () => {
    const server = await testServer({ repository: declaring() });
    const { page } = await openConsole(browser, server.url, { mayFail: true });
    await page.getByRole("status").getByText("Connected").waitFor();
    // The code of each view is loaded with its first visit.
    for (const id of views) {
      await page.evaluate((next) => void (location.hash = `#/${next}`), id);
      await page.locator(`#panel.${id} h1`).waitFor();
    }
    await server.close();
    expect(await inEveryView(page)).toEqual([]);
  });

  longTest("with the token of a viewer, and with the dialog that asks for a token", async () => {
    const files = declaring();
    const token = await createToken(files.root, "bot", "viewer");
    const server = await testServer({ repository: files });
    const { page, field, button } = await openConsole(browser, server.url, {
      tab: "environment",
      mayFail: true,
      stored,
    });
    await field("HTTP framework").selectOption("fastify");
    await button("Save").click();
    await page.getByRole("dialog").waitFor();
    expect(await faultsOf(page, "the token dialog")).toEqual([]);
    await field("Token").fill(token);
    await button("Continue").click();
    await page.getByText("bot (viewer)").waitFor();
    await button("Discard").click();
    expect(await inEveryView(page)).toEqual([]);
  });

  longTest("with its dialogs open", async () => {
    const { page, give, telemetry, button } = await handMonitoring(browser, { mayFail: true });
    await telemetry.watchers(1);
    give(nightProcesses, nightEcosystem);
    const inbox = page.getByRole("region", { name: "Attention" });
    const dialog = page.getByRole("dialog");
    const found: string[] = [];
    const look = async (name: string): Promise<void> => {
      await dialog.waitFor();
      found.push(...(await faultsOf(page, name)));
      await page.setViewportSize(SIZES.wide);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    await page.keyboard.press("ControlOrMeta+k");
    await look("the command bar");
    await button("Keyboard shortcuts").click();
    await look("the help");
    for (const name of ["Mute…", "Note…"]) {
      await inbox.getByRole("button", { name }).first().click();
      await look(name);
    }
    expect(found).toEqual([]);
  });
});
