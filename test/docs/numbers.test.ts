/** The numbers of the reference must equal those of the code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { interval, SOCKET_PATH, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "../../src/core/api/channel.ts";
import { defaultLimits } from "../../src/server/limits.ts";

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
const { maxUnreadSamples, pongTimeoutMs, frameRate, maxFrameBytes, authTimeoutMs } = defaultLimits;

test.each([
  SOCKET_PATH,
  `\`${TOKEN_SUBPROTOCOL}<base64url>\` offered beside \`${SUBPROTOCOL}\``,
  `${interval.min} to ${interval.max} ms`,
  `after ${maxUnreadSamples} that were not read`,
  `does not answer a ping for ${pongTimeoutMs / 1000} s`,
  `more than ${frameRate.perSecond} frames a second with bursts of ${frameRate.burst}`,
  `more than ${maxFrameBytes / 1024} KiB`,
  `has not sent it after ${authTimeoutMs / 1000} s`,
])("docs/reference/websocket.md says: %s", (fact) => {
  expect(read("docs/reference/websocket.md")).toContain(fact);
});

test("docs/how-to/run-svcm.md shows the unit file of docs/examples unchanged", () => {
  const unit = readFileSync(new URL("../../docs/examples/svcm.service", import.meta.url), "utf8");
  expect(readFileSync(new URL("../../docs/how-to/run-svcm.md", import.meta.url), "utf8")).toContain(
    `\n${unit}\`\`\`\n`,
  );
});

test("every page names the oldest Node.js that package.json accepts", () => {
  const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
  const [, oldest] = /^>=(\d+\.\d+)\.0$/.exec(engines.node) ?? [];
  const pages = ["README.md", "CONTRIBUTING.md", "docs/tutorial/own-backend.md", "docs/reference-backend/tutorial.md"];
  for (const page of pages)
    expect([page, read(page)]).toEqual([page, expect.stringContaining(`Node.js ${oldest} or newer`)]);
  expect(read("docs/explanation/supported-versions.md")).toContain(`| Node.js | ${oldest} and newer |`);
});
