import type { LogsResponse } from "../../api/logs.ts";
import type { LogPosition } from "../../logs/cursor.ts";
import type { LogFilter, Logs } from "../../ports/logs.ts";
import { once } from "../../words/once.ts";
import { pm2Failed, unreachable } from "../pm2/failure.ts";
import { pm2Home } from "../pm2/home.ts";
import { probe } from "../pm2/daemon.ts";
import { LogLink } from "./log-link.ts";
import { unpackedLines } from "./packed.ts";
import type { Call } from "./protocol.ts";
import { Subscriber, Share } from "./share.ts";

export interface LogsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** In addition to PM2_HOME and those of the apps. */
  readonly folders: readonly string[];
  readonly secrets: () => Promise<readonly string[]>;
}

export function nodeLogs({ env, cwd, folders, secrets }: LogsOptions): Logs {
  const { folder: home, socket } = pm2Home(env, cwd);
  const link = once(() => new LogLink({ home, folders }));
  const shares = new Map<string, Share>();
  let count = 0;
  const ask = async (call: Call): ReturnType<LogLink["call"]> => {
    const refused = await probe(socket);
    if (refused !== undefined) throw pm2Failed(unreachable(refused, socket).body);
    link().prepare();
    return await link().call(call, await secrets());
  };
  const read = async (call: Extract<Call, { method: "read" }>): Promise<LogsResponse> => pageIn(await ask(call));
  return {
    async read(query, signal) {
      signal?.throwIfAborted();
      return await read({ method: "read", query });
    },
    async *watch({ tail, isWhole, ...filter }, signal) {
      const key = isWhole ? `whole ${(count += 1)}` : JSON.stringify(filter);
      const subscriber = new Subscriber(isWhole ? () => link().post({ call: { method: "taken", key } }) : undefined);
      const stop = (): void => subscriber.end();
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      const share = shareOf(key, link(), shares);
      try {
        const upTo = await begin(ask, { key, filter, isWhole }, () => share.add(subscriber));
        const { lines, older, problems } = await read({ method: "read", query: { ...filter, limit: tail }, upTo });
        yield { lines, skipped: 0, begin: { older, problems } };
        yield* subscriber;
      } finally {
        signal.removeEventListener("abort", stop);
        share.remove(subscriber);
      }
    },
    close: () => link().close(),
  };
}

function pageIn(answer: Awaited<ReturnType<LogLink["call"]>>): LogsResponse {
  if ("page" in answer) return { ...answer.page, lines: unpackedLines(answer.page.lines) };
  throw new TypeError("The worker did not answer with a page.");
}

async function begin(
  ask: (call: Call) => ReturnType<LogLink["call"]>,
  watch: { readonly key: string; readonly filter: LogFilter; readonly isWhole: boolean },
  onBegun: () => void,
): Promise<readonly LogPosition[]> {
  const answer = await ask({ method: "watch", ...watch });
  onBegun();
  return "places" in answer ? answer.places : [];
}

function shareOf(key: string, link: LogLink, shares: Map<string, Share>): Share {
  const known = shares.get(key);
  if (known) return known;
  const share = new Share(() => {
    shares.delete(key);
    link.leave(key);
  });
  shares.set(key, share);
  link.listen(key, share);
  return share;
}
