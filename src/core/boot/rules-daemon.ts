import { formatSecond } from "../words/time.ts";
import { nameList, shellQuote } from "../words/text.ts";
import type { DaemonFacts, DaemonRule } from "./facts.ts";
import { isInRange, isOlder } from "./renewal.ts";

function ownDaemons({ daemons = [] }: DaemonFacts): NonNullable<DaemonFacts["daemons"]> {
  return daemons.filter(({ isOwn }) => isOwn);
}

const RENEW = "svcm daemon renew";

const nodeGone: DaemonRule = {
  code: "DAEMON_NODE_GONE",
  severity: "error",
  *check(facts) {
    for (const { pid, nodePath, nodeFile } of ownDaemons(facts))
      if (nodeFile === "gone")
        yield {
          path: ["daemon", pid],
          message: `PM2's daemon, pid ${pid}, runs ${nodePath}, which no longer exists`,
          command: RENEW,
        };
  },
};

const suspended: DaemonRule = {
  code: "DAEMON_SUSPENDED",
  severity: "error",
  *check(facts) {
    for (const { pid, isSuspended } of ownDaemons(facts))
      if (isSuspended)
        yield {
          path: ["daemon", pid],
          message: `PM2's daemon, pid ${pid}, is suspended: it does not answer, and starts no app that ends`,
          command: `kill -CONT ${pid}`,
        };
  },
};

const unreached: DaemonRule = {
  code: "PM2_SOCKET_GONE",
  severity: "error",
  *check({ unreached: message }) {
    if (message !== undefined) yield { path: ["daemon"], message, command: "svcm explain PM2_SOCKET_GONE" };
  },
};

const nodeOutdated: DaemonRule = {
  code: "DAEMON_NODE_OUTDATED",
  severity: "warning",
  *check({ nodeVersion, wantedNode }) {
    if (nodeVersion === null || wantedNode === null || isInRange(nodeVersion, wantedNode.range) !== false) return;
    const message = `PM2's daemon runs Node.js ${nodeVersion}, and ${wantedNode.file} asks for ${wantedNode.range}`;
    yield { path: ["daemon"], message, command: RENEW };
  },
};

const older: DaemonRule = {
  code: "DAEMON_OLDER",
  severity: "warning",
  *check(facts) {
    for (const { pid, pm2Version } of ownDaemons(facts))
      if (facts.library !== null && isOlder(pm2Version, facts.library))
        yield {
          path: ["daemon", pid],
          message: `PM2's daemon has the version ${pm2Version}, and ${facts.library} is installed`,
          command: RENEW,
        };
  },
};

const root: DaemonRule = {
  code: "DAEMON_ROOT",
  severity: "warning",
  *check(facts) {
    for (const { pid, uid, isForeground } of ownDaemons(facts))
      if (uid === 0)
        yield {
          path: ["daemon", pid],
          message: `PM2's daemon, pid ${pid}, runs as root, and so do its apps without uid`,
          command: isForeground ? "svcm explain DAEMON_ROOT" : "svcm boot enable --user <name>",
        };
  },
};

/** PM2 gives a worker of a cluster the variables of its daemon, below those of its definition. */
const secrets: DaemonRule = {
  code: "DAEMON_SECRETS",
  severity: "warning",
  *check(facts) {
    if (!facts.saved.processes.some(({ execMode }) => execMode === "cluster")) return;
    for (const { pid, secretNames, isForeground } of ownDaemons(facts))
      if (secretNames.length > 0 && !isForeground)
        yield {
          path: ["daemon", pid],
          message: `PM2's daemon, pid ${pid}, was started with ${nameList(secretNames)}, and gives that to each app in cluster mode that does not declare it`,
          command: RENEW,
        };
  },
};

const several: DaemonRule = {
  code: "DAEMON_SEVERAL",
  severity: "error",
  *check(facts) {
    const pids = ownDaemons(facts).map(({ pid }) => pid);
    if (pids.length <= 1) return;
    const { lost = [] } = facts;
    const unseen = lost.length === 0 ? "" : `; PM2's list lacks the apps of pid ${lost.join(", ")}`;
    yield {
      path: ["daemon"],
      message: `${pids.length} daemons use ${facts.home}: pid ${pids.join(", ")}${unseen}`,
      command: lost.length === 0 ? "svcm explain DAEMON_SEVERAL" : `kill ${lost.join(" ")}`,
    };
  },
};

const unfinished: DaemonRule = {
  code: "RENEW_UNFINISHED",
  severity: "error",
  *check({ renewal }) {
    if (renewal === null) return;
    const { startedAtMs, formerPid, step } = renewal;
    const what = step === "back" ? "its return" : "a renewal";
    const message = `${what} of PM2's daemon, pid ${formerPid}, was cut off or still runs; it began at ${formatSecond(startedAtMs)}`;
    yield { path: ["daemon", formerPid], message, command: RENEW };
  },
};

const readable: DaemonRule = {
  code: "DUMP_READABLE",
  severity: "warning",
  *check({ saved: { publicFiles: files } }) {
    if (files.length === 0) return;
    yield {
      path: ["list"],
      message: `other users may read ${files.join(" and ")}`,
      command: `chmod 600 ${files.map(shellQuote).join(" ")}`,
    };
  },
};

export const daemonRules: readonly DaemonRule[] = [
  suspended,
  unreached,
  nodeGone,
  nodeOutdated,
  older,
  root,
  secrets,
  several,
  unfinished,
  readable,
];
