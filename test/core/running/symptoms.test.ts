/** Circumstances that explain why an app does not work. */
import { expect, test } from "vitest";
import { findSymptoms, type Surroundings, writtenFolders } from "../../../src/core/running/symptoms.ts";
import { record } from "../../support/process-record.ts";

const api = record({ name: "api", pmId: 0, pid: 7 });
const web = record({ name: "web", pmId: 1, pid: 8 });
const socket = (port: number, pid: number, more: object = {}) =>
  ({
    address: "127.0.0.1",
    port,
    pid,
    program: "node",
    ancestors: [],
    origin: null,
    ...more,
  }) as unknown as Surroundings["listeners"][number];
const tcp = (port: number, more: object = {}) =>
  ({ port, address: "0.0.0.0", isListening: true, ...more }) as unknown as NonNullable<Surroundings["sockets"]>[number];
const disk = (availableBlocks: number) => ({
  path: "/",
  blockBytes: 1e6,
  blocks: 10_000,
  freeBlocks: 0,
  availableBlocks,
});
const lag = (ms: number, more: object = {}) => ({ ...api, customMetrics: { "Event Loop Latency p95": ms }, ...more });

const quiet: Surroundings = {
  own: [api],
  all: [api, web],
  listeners: [],
  errorLines: [],
  disks: [],
  pm2Home: "/pm2",
  epochMs: 60_000,
};
const serving = (more: object = {}) => [
  { ...api, status: "online", listenPorts: [3000], lastStartAt: 50_000, ...more },
];
const unserved = /^Nothing accepts TCP connections on port 3000, which its variables name\.$/;
const LIMITS = {
  openFiles: "20000",
  processes: "96365",
  addressSpace: "unlimited",
  inotifyInstances: "128",
  inotifyWatches: "192536",
};
const FULL = "Error: ENOSPC: no space left on device, write";
const WATCHERS = "Error: ENOSPC: System limit for number of file watchers reached, watch 'd/19'";
const inUse = (address: string) => `Error: listen EADDRINUSE: address already in use ${address}`;
const TAKEN = inUse("127.0.0.1:3000");

test.each<[string, Partial<Surroundings>, RegExp[]]>([
  ["nothing", {}, []],
  ["a limit that svcm could not read", { errorLines: [WATCHERS] }, []],
  [
    "its port is held by another app",
    { errorLines: [TAKEN], listeners: [socket(3000, 8)] },
    [/^Port 3000 is taken by web \(id 1\), pid 8\.$/],
  ],
  [
    "its port is held by a program",
    { errorLines: [TAKEN], listeners: [socket(3000, 99)] },
    [/^Port 3000 is taken by node, pid 99\.$/],
  ],
  [
    "its port is held by another user",
    { errorLines: [TAKEN], sockets: [tcp(3000)] },
    [
      /^Port 3000 is taken by a process that cannot be seen from here: of another user, or outside of this container\.$/,
    ],
  ],
  ["another user holds another address", { errorLines: [TAKEN], sockets: [tcp(3000, { address: "10.0.0.5" })] }, []],
  ["a connection has its port", { errorLines: [TAKEN], sockets: [tcp(3000, { isListening: false })] }, []],
  ["it holds its port by now", { errorLines: [TAKEN], listeners: [socket(3000, 7)] }, []],
  ["nothing holds it by now", { errorLines: [TAKEN] }, []],
  [
    "the newest of two ports counts",
    { errorLines: [TAKEN, TAKEN.replace("3000", "3001")], listeners: [socket(3000, 8), socket(3001, 8)] },
    [/^Port 3001 /],
  ],
  [
    "its port of IPv6 is held",
    { errorLines: [inUse("::1:3000")], listeners: [socket(1, 99), socket(3000, 8, { address: "::1" })] },
    [/^Port 3000 is taken by web /],
  ],
  [
    "another address of its port is held by another program",
    {
      errorLines: [inUse("10.0.0.5:3000")],
      listeners: [socket(3000, 99, { address: "127.0.0.1" }), socket(3000, 8, { address: "10.0.0.5" })],
    },
    [/^Port 3000 is taken by web /],
  ],
  [
    "a worker of a cluster finds its port held",
    { errorLines: ["Error: bind EADDRINUSE null:3000"], listeners: [socket(3000, 8)] },
    [/^Port 3000 is taken by web /],
  ],
  [
    "a worker of a cluster finds its port held on one address",
    {
      own: [{ ...api, execMode: "cluster" }],
      errorLines: ["Error: bind EADDRINUSE 127.0.0.1:3000"],
      listeners: [socket(3000, 8)],
    },
    [/^Port 3000 is taken by web /],
  ],
  [
    "its socket file exists, whose folder is named like a port",
    { errorLines: [inUse("/run/app:3000/api.sock")], listeners: [socket(3000, 8)] },
    [],
  ],
  ["its UDP port is held", { errorLines: ["Error: bind EADDRINUSE 0.0.0.0:3000"], listeners: [socket(3000, 8)] }, []],
  [
    "a left-over process of it",
    { listeners: [socket(3000, 99, { origin: { pm2Home: "/pm2", name: "api" } })] },
    [/left-over process of api/],
  ],
  [
    "a left-over process of another app",
    { listeners: [socket(3000, 99, { origin: { pm2Home: "/pm2", name: "web" } })] },
    [],
  ],
  [
    "a left-over process of another PM2",
    { listeners: [socket(3000, 99, { origin: { pm2Home: "/x", name: "api" } })] },
    [],
  ],
  ["one per cent of the disk is free", { disks: [disk(100)] }, []],
  ["it has closed its listener", { own: serving(), sockets: [tcp(3000, { isListening: false })] }, [unserved]],
  ["it listens", { own: serving(), sockets: [tcp(3000)] }, []],
  ["it may still be loading", { own: serving({ lastStartAt: 50_001 }), sockets: [] }, []],
  ["sockets cannot be seen", { own: serving() }, []],
  ["it does not run", { own: serving({ status: "stopped", pid: null }), sockets: [] }, []],
  ["no inode is free", { disks: [{ ...disk(5000), freeInodes: 0 }] }, [/of \/ has no free inodes, so no file /]],
  ["an image is read-only", { disks: [{ ...disk(0), freeInodes: 0 }] }, []],
  ["a small one is full", { disks: [{ ...disk(0), blocks: 20 }] }, [/: 0\.0 GB of 20\.0 MB are free\./]],
  ["less is free", { disks: [disk(99)] }, [/The file system of \/ is full: 99\.0 MB of 10\.0 GB are free\./]],
  ["its log says that the disk was full", { errorLines: [FULL], disks: [disk(5000)] }, [/ENOSPC/]],
  ["both", { errorLines: [FULL], disks: [disk(1)] }, [/is full/]],
  [
    "too many files are open",
    { errorLines: ["Error: EMFILE: too many open files, open '/dev/null'", "    at api.js:1:1"], limits: LIMITS },
    [/^EMFILE: it had as many files and sockets open as it may, 20000 \(ulimit -n\)\.$/],
  ],
  [
    "no further watch may begin",
    { errorLines: ["Error: EMFILE: too many open files, watch 'src'"], limits: LIMITS },
    [/^EMFILE of a watch: .* inotify instances as it may, 128 /],
  ],
  [
    "too many files are watched, which is not a full disk",
    { errorLines: [WATCHERS, "  syscall: 'watch',", "  code: 'ENOSPC',"], disks: [disk(5000)], limits: LIMITS },
    [/^ENOSPC of a watch: .* as many files as it may, 192536 .* The disk is not the reason\.$/],
  ],
  [
    "no further process may start",
    { errorLines: ["Error: spawn sh EAGAIN"], limits: { ...LIMITS, processes: null } },
    [/^EAGAIN: .* its user has as many as it may \(ulimit -u\), or its control group/],
  ],
  [
    "its address space is limited",
    { errorLines: ["RangeError: Array buffer allocation failed"], limits: { ...LIMITS, addressSpace: "2000000000" } },
    [/^It may use 2000000000 bytes of address space \(ulimit -v\)/],
  ],
  ["its limits cannot be read", { errorLines: ["Error: EMFILE: too many open files, open '/dev/null'"] }, []],
  ["it had no memory, and no limit says why", { errorLines: ["Error: spawn ENOMEM"], limits: LIMITS }, []],
  ["the event loop is 100 ms late", { own: [lag(100)] }, []],
  ["it is later", { own: [lag(101)] }, [/^The event loop is up to 101 ms late/]],
  ["that of one of two is", { own: [lag(900), lag(1, { pmId: 4 })] }, [/^The event loop of id 0 is up to 900 ms late/]],
  ["that of an ended process was", { own: [lag(900, { pid: null })] }, []],
])("%s", (_what, surroundings, expected) => {
  const found = findSymptoms({ ...quiet, ...surroundings });
  expect(found).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
});

test("an app writes into its folder and its logs, and anywhere that its error log calls full", () => {
  const one = record({ cwd: "/srv/app", logFiles: { error: "/logs/e.log", out: null } });
  expect(writtenFolders([one], [WATCHERS])).toEqual(["/srv/app", "/logs"]);
  const lines = [FULL.replace(", write", ", open '/data/cache/x'")];
  expect(writtenFolders([one], lines)).toEqual(["/srv/app", "/logs", "/data/cache", "/tmp", "/var/tmp", "/dev/shm"]);
});
