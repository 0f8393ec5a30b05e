/// <reference lib="dom" />
/** Faults under a real PM2: `svcm why` prints what the documentation shows, and the console shows the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { serverOver } from "../console/monitoring-page.ts";
import { openConsole } from "../console/open-console.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { answerIn, faults, untilNamed } from "../support/faults.ts";
import { pm2 } from "../support/pm2-daemon.ts";

const CANARY = "canary-Oc5-51dd8a2e";
/** The maximum number of lines that fit one screen. */
const MAX_LINES = 10;
const browser = useBrowser();
const page = readFileSync(join(REPOSITORY, "docs/how-to/on-call.md"), "utf8");

test("the documentation has every fault, each with its own picture", () => {
  expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(faults.map(({ title }) => title));
  expect([...page.matchAll(/pictures\/(.+)\.png/g)].map(([, picture]) => picture)).toEqual(
    faults.map(({ picture }) => picture),
  );
});

test.skipIf(!hasBrowser).for(faults)("$title", { timeout: 300_000 }, async ({ title, cause, needs }, { skip }) => {
  const own = pm2();
  onTestFinished(() => own.end());
  await own.startDaemon({ PM2_WORKER_INTERVAL: "200" });
  const { url } = await serverOver(own);
  const { page: console } = await openConsole(browser, url, {});
  if ((await cause({ own, url, secret: CANARY, onEnd: onTestFinished })) === false) return skip(needs);
  const expected = answerIn(page, title);
  expect(expected.split("\n").length).toBeLessThanOrEqual(MAX_LINES);
  const answer = await untilNamed(own, expected);
  await console.locator("button.process-name[title=api]").click();
  const card = console.getByRole("region", { name: /^Why of api/ });
  for (const sentence of sentencesOf(expected)) await card.getByText(sentence).first().waitFor();
  expect(await console.locator(".detail > section").first().getAttribute("aria-label")).toMatch(/^Why/);
  expect(answer.stdout + answer.stderr + (await console.content())).not.toContain(CANARY);
});

/** The lines with the cause, with any number. The console shows the time and the state beside them, and no zone. */
function sentencesOf(answer: string): RegExp[] {
  const lines = answer.split("\n").filter((line) => !/^(?:Now|Last lines)/.test(line));
  return lines.map((line) => {
    const text = line.replace(/^\S+ \(id \d+\) [^:]+: (.*), \S+ ago \([^)]*\)\.$/, "$1").trim();
    return new RegExp(
      text
        .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
        .replaceAll(/\d[\d.]*/g, String.raw`[\d.]+`)
        .replaceAll("]+Z", "]+Z?"),
    );
  });
}
