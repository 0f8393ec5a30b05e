/** An open-loop load on a port of this machine: 200 requests a second in the long run, 50 in an ordinary one. */
import { Agent, get } from "node:http";
import { isLong } from "./runs.ts";

const UNANSWERED_MS = 60_000;
const INTERVAL_MS = isLong ? 5 : 20;
/** Each of them is used several times a second. */
const MAX_KEPT = 50;

export interface Load {
  readonly sent: number;
  readonly failed: number;
  readonly perSecond: number;
}

/** Each request has a new connection, unless they are kept. A late timer makes up for it, so the rate holds. */
export async function loadDuring(
  port: () => number,
  work: () => Promise<unknown>,
  { keepAlive }: { readonly keepAlive: boolean } = { keepAlive: false },
): Promise<Load> {
  const agent = keepAlive ? new Agent({ keepAlive, maxSockets: MAX_KEPT, scheduling: "fifo" }) : new Agent();
  const answers: Promise<boolean>[] = [];
  const begun = performance.now();
  const ask = (): void => {
    while (answers.length * INTERVAL_MS < performance.now() - begun) answers.push(isAnswered(port(), agent));
  };
  const timer = setInterval(ask, INTERVAL_MS);
  await work().finally(() => clearInterval(timer));
  const perSecond = Math.round((answers.length * 1000) / (performance.now() - begun));
  const results = await Promise.all(answers);
  agent.destroy();
  return { sent: results.length, failed: results.filter((one) => !one).length, perSecond };
}

function isAnswered(port: number, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode === 200));
    });
    request.once("error", () => resolve(false));
    request.setTimeout(UNANSWERED_MS, () => request.destroy());
  });
}
