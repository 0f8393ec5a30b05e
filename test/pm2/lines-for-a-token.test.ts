/** On loopback reads are open, and a token still brings its rights: an operator reads the lines that a viewer does not. */
import { expect, test } from "vitest";
import { serverOver } from "../console/monitoring-page.ts";
import { ask } from "../server/support.ts";
import { endsWith } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { bearer, createToken } from "../support/tokens.ts";

const LINE = "no account 4711";
const SHOW = "/api/runtime/process?name=fails";
const { own } = runningPm2();

test("the last error of a process is shown with the right to read logs, and not without it", async () => {
  await own.run({ name: "fails", autorestart: false, code: endsWith(JSON.stringify(`Error: ${LINE}`), 5) });
  const server = await serverOver(own);
  const ended = async () => (await ask(server, SHOW)).text.includes(LINE);
  while (!(await ended()));
  const operator = bearer(await createToken(server.repository.root, "otto", "operator"));
  const viewer = bearer(await createToken(server.repository.root, "vera", "viewer"));
  const shows = async (headers: Record<string, string>): Promise<readonly [number, boolean]> => {
    const { status, text } = await ask(server, SHOW, { headers });
    return [status, text.includes(LINE)];
  };
  expect(await shows(operator)).toEqual([200, true]);
  expect(await shows(viewer)).toEqual([200, false]);
  expect(await shows({})).toEqual([200, false]);
  // After the first ten, wrong tokens are not even compared, and the route stays open.
  for (let at = 0; at < 12; at += 1) expect(await shows(bearer("wrong"))).toEqual([200, false]);
});
