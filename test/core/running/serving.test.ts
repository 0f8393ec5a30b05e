import { describe, expect, test } from "vitest";
import type { TcpSocket } from "../../../src/core/files/reading.ts";
import type { ProcessRecord } from "../../../src/core/pm2/process-record.ts";
import {
  type LoadError,
  describeHung,
  hasFailedStart,
  hasLoadError,
  listensOnPort,
  noLongerServed,
  unseenErrors,
  mayNotBeLoaded,
  notLoadedFacts,
  stillWaiting,
  waitingSockets,
  type HeldSockets,
  type ServingTree,
} from "../../../src/core/running/serving.ts";
import { record } from "../../support/process-record.ts";

const NOW = 1_000_000;
const socket = (fields: Partial<TcpSocket> = {}): TcpSocket => ({
  inode: "1",
  isListening: true,
  address: "127.0.0.1",
  port: 3000,
  waiting: 0,
  unaccepted: Array.from({ length: fields.waiting ?? 0 }, (_, index) => `client ${index}`),
  ...fields,
});
const held = (...inodes: string[]): HeldSockets => ({ inodes: new Set(inodes), isComplete: true });
const tree = (fields: Partial<ProcessRecord>, own = held("1"), daemon = held()): ServingTree => ({
  record: record({ status: "online", pid: 7, listenPorts: [3000], lastStartAt: NOW - 60_000, ...fields }),
  pid: 7,
  held: () => own,
  heldByItself: () => own,
  heldByDaemon: () => daemon,
});

const NODE = { interpreter: "/usr/local/bin/node" };

describe("what waits for a process", () => {
  const backlog = socket({ waiting: 2 });
  const unread = socket({ waiting: 80, isListening: false });
  test.each<[string, ServingTree, TcpSocket, boolean]>([
    ["a connection at its own listener", tree({}), backlog, true],
    ["nothing", tree({}), socket(), false],
    ["a connection at the listener of another process", tree({}, held("2")), backlog, false],
    ["unread bytes of a connection that it has opened", tree(NODE), unread, false],
    ["unread bytes of a worker", tree({ execMode: "cluster" }), unread, true],
    ["what PM2 hands over to a worker", tree({ execMode: "cluster" }, held(), held("1")), unread, true],
    [
      "what PM2 hands over to a worker of another app",
      tree({ execMode: "cluster", listenPorts: [4000] }, held(), held("1")),
      unread,
      false,
    ],
  ])("%s", (_what, of, one, isWaiting) => {
    expect(waitingSockets(of, [one], false)).toEqual(isWaiting ? [one] : []);
  });

  test("unread bytes wait for a server of Node.js that computes, and others may read them elsewhere", () => {
    const both = [socket({ inode: "2" }), unread];
    const ofNode = tree(NODE, held("1", "2"));
    expect(waitingSockets(ofNode, both, false)).toEqual([unread]);
    expect(waitingSockets(ofNode, both, true)).toEqual([]);
    expect(waitingSockets({ ...ofNode, heldByItself: () => held("2") }, both, false)).toEqual([]);
    expect(waitingSockets(tree({ interpreter: "python3" }, held("1", "2")), both, false)).toEqual([]);
    expect(waitingSockets(tree({ execMode: "cluster" }), [unread], true)).toEqual([]);
  });

  test("a socket from which something was taken has not waited all the time", () => {
    const before = [socket({ waiting: 2 })];
    expect(stillWaiting(before, [socket({ waiting: 1 })])).toEqual([]);
    expect(stillWaiting(before, [socket({ inode: "9", waiting: 3 })])).toEqual([]);
    for (const waiting of [2, 3]) expect(stillWaiting(before, [socket({ waiting })])).toEqual([socket({ waiting })]);
  });
});

test("a server takes its connections if only others wait than at the first look", () => {
  const [first, before, now] = ["a", "b", "c"].map((client) => [socket({ waiting: 1, unaccepted: [client] })]);
  expect(stillWaiting(before!, now!, first)).toEqual([]);
  const stuck = [socket({ waiting: 2, unaccepted: ["a", "c"] })];
  expect(stillWaiting(before!, stuck, first)).toEqual(stuck);
});

describe("a process is hung", () => {
  const blocked = { isSuspended: false, ms: 2000 };
  test.each<[string | undefined, string, Parameters<typeof describeHung>[0]]>([
    [
      "2 connections wait on port 3000, and it has accepted none of them for 2.0 s.",
      "it blocks, also without CPU",
      { ...blocked, sockets: [socket({ waiting: 2 })] },
    ],
    [
      "1 connection waits on port 3000, and it has accepted nothing for 2.0 s.",
      "one is enough",
      { ...blocked, sockets: [socket({ waiting: 1 })] },
    ],
    [
      "2 connections wait on port 3000, and it has accepted none of them at any look since 1970-01-01T00:16:40Z.",
      "earlier looks found the same",
      { ...blocked, ms: 300, sinceMs: NOW, sockets: [socket({ waiting: 2 })] },
    ],
    [undefined, "nothing waits", { ...blocked, sockets: [] }],
    [
      "It is suspended, by a signal or a debugger, so it answers nothing.",
      "SIGSTOP",
      { ...blocked, isSuspended: true, sockets: [] },
    ],
    [
      "Its event loop is blocked: 9 bytes wait on port 3000, and it has read none of them for 2.0 s.",
      "it blocks",
      { ...blocked, sockets: [socket({ waiting: 9, isListening: false })] },
    ],
  ])("%s: %s", (expected, _what, evidence) => {
    expect(describeHung(evidence)).toBe(expected);
  });
});

describe("a process has not loaded", () => {
  const free = { sockets: [], epochMs: NOW };
  test.each<[boolean, string, ServingTree, readonly TcpSocket[]]>([
    [true, "nothing listens on its port", tree({}), []],
    [true, "another process has its port", tree({}), [socket({ inode: "2" })]],
    [false, "it listens", tree({}), [socket()]],
    [false, "it listens on another port", tree({}), [socket({ port: 80 })]],
    [false, "it has a connection, as a worker of a queue", tree({}), [socket({ isListening: false, port: 50_000 })]],
    [true, "no variable names a port", tree({ listenPorts: [] }), []],
    [true, "no variable names the port of its cluster", tree({ listenPorts: [], execMode: "cluster" }), []],
    [false, "its worker has a connection", tree({ listenPorts: [], execMode: "cluster" }), [socket({ port: 5432 })]],
    [false, "it has just started", tree({ lastStartAt: NOW - 9000 }), []],
    [false, "not all of its sockets are known", tree({}, { inodes: new Set(), isComplete: false }), []],
    [false, "PM2 listens for its cluster", tree({ execMode: "cluster" }, held(), held("1")), [socket()]],
    [true, "PM2 listens for another cluster", tree({ execMode: "cluster" }, held(), held("1")), [socket({ port: 80 })]],
    [
      false,
      "the sockets of PM2 are not known",
      tree({ execMode: "cluster" }, held(), { inodes: new Set(), isComplete: false }),
      [],
    ],
  ])("%s: %s", (expected, _what, of, sockets) => {
    expect(mayNotBeLoaded(of, { ...free, sockets })).toBe(expected);
  });

  const start = NOW - 60_000;
  const error = ["file:///srv/api.mjs:1", "SyntaxError: Unexpected token '}'", "    at compile (node:internal:1:1)"];
  test.each<[boolean, string, readonly string[], number]>([
    [true, "its log ends with an error of its start", error, start + 200],
    [false, "the error is of an earlier run", error, start - 1],
    [false, "the error came later", error, start + 60_001],
    [false, "it may be starting still", error, NOW - 9000],
    [false, "the log has a warning", ["(node:7) Warning: old"], start + 200],
  ])("%s: %s", (expected, _what, lines, writtenMs) => {
    expect(hasLoadError(tree({}).record, { tail: { lines, writtenMs }, epochMs: NOW })).toBe(expected);
  });

  test("a worker that goes on writing after an error of its start has loaded", () => {
    const tail = { lines: error, writtenMs: start + 200 };
    const isError = (outputMs: number) => hasLoadError(tree({}).record, { tail: { ...tail, outputMs }, epochMs: NOW });
    expect([start + 100, start + 200, start + 201].map(isError)).toEqual([true, true, false]);
  });

  test("without a declared port it is a doubt, because an app may need no connection", () => {
    expect(notLoadedFacts(tree({ listenPorts: [] }).record)).toEqual({
      unseen: "its error log ends with an error of this start, and it has no connection",
    });
    expect(notLoadedFacts(tree({ listenPorts: [], execMode: "cluster" }).record)).toEqual({
      unseen: "its error log ends with an error of this start, and its worker has no connection",
    });
    expect(notLoadedFacts(tree({}).record).notLoaded).toMatch(/^Its error log .* does not listen on port 3000\./);
  });
});

describe("a worker whose log ends with an error of its start has failed", () => {
  const known = socket({ inode: "known", port: 4000 });
  const fresh = socket({ inode: "fresh", port: 4000 });
  const declared = socket({ inode: "known", port: 3000 });
  test.each<[boolean, "first" | "added" | "renewed", LoadError, string, number[], TcpSocket[]]>([
    [true, "first", "module", "nothing listens", [], []],
    [true, "first", "module", "only others listen", [], [known]],
    [false, "first", "module", "a listener is new", [], [known, fresh]],
    [true, "first", "rejection", "nothing listens", [], []],
    [false, "first", "rejection", "its port is served", [3000], [declared]],
    [false, "first", "handled", "nothing listens", [3000], []],
    [true, "added", "module", "the others serve its port", [3000], [declared]],
    [false, "added", "rejection", "nothing listens", [3000], []],
    [false, "added", "handled", "nothing listens", [3000], []],
    [true, "renewed", "module", "the others serve its port", [3000], [declared]],
    [true, "renewed", "rejection", "a listener may be that of the others", [], [known]],
    [false, "renewed", "rejection", "the others serve its port", [3000], [declared]],
    [false, "renewed", "handled", "a listener may be its own", [], [known]],
    [true, "renewed", "handled", "its port is not served", [3000], [known]],
    [true, "renewed", "handled", "nothing listens", [], []],
  ])("%s for a %s start, %s: %s", (hasFailed, start, error, _, listenPorts, sockets) => {
    const worker = (own: HeldSockets) => ({
      ...tree({ execMode: "cluster", listenPorts }, own, held("known", "fresh")),
      start,
      listeners: new Set(["known"]),
    });
    const evidence = { sockets: [...sockets, socket({ inode: "own", isListening: false })], epochMs: NOW };
    expect(hasFailedStart(worker(held()), error, evidence)).toBe(hasFailed);
    // With a connection it has loaded.
    expect(hasFailedStart(worker(held("own")), error, evidence)).toBe(false);
  });
});

describe("a process listens on its port", () => {
  const own = [socket()];
  test.each<[string, ServingTree, readonly TcpSocket[], boolean]>([
    ["if it holds a listener there", tree({}), own, true],
    ["but not by that of another process", tree({}, held("2")), own, false],
    ["but not by a connection there", tree({}), [socket({ isListening: false })], false],
    ["but not on another port", tree({}), [socket({ port: 4000 })], false],
    ["but not without a declared port", tree({ listenPorts: [] }), own, false],
    ["by PM2's listener for its cluster", tree({ execMode: "cluster" }, held(), held("1")), own, true],
    ["but not by PM2's listener if it is no cluster", tree({}, held(), held("1")), own, false],
    ["as a worker, also by itself", tree({ execMode: "cluster" }), own, true],
    [
      "but not by PM2's listener of another port",
      tree({ execMode: "cluster" }, held(), held("1")),
      [socket({ port: 4000 })],
      false,
    ],
    [
      "but not by a connection of PM2",
      tree({ execMode: "cluster" }, held(), held("1")),
      [socket({ isListening: false })],
      false,
    ],
  ])("%s", (_what, of, sockets, is) => {
    expect(listensOnPort(of, sockets)).toBe(is);
  });
});

test("what is not seen of a process names its ports, if it has any", () => {
  const ports = (...listenPorts: number[]) => record({ listenPorts });
  expect(unseenErrors(ports(3000))).toEqual({
    unseen: "it has no connection, does not listen on port 3000, and has no error log to read",
  });
  expect(unseenErrors(ports())).toBeUndefined();
  const served = (text: string) => `nothing of it listens on ${text}, and before this apply something did`;
  expect(noLongerServed(ports(3000))).toBe(served("port 3000"));
  expect(noLongerServed(ports(3000, 4000))).toBe(served("the ports 3000, 4000"));
});
