import {
  appendFileSync,
  copyFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Tail } from "../../../../src/core/logs/files/worker/tail.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function tailed(content = "") {
  const folder = temporaryFolder();
  const path = join(folder, "api-out.log");
  writeFileSync(path, content);
  const target = {
    path,
    folders: [folder],
    owner: statSync(folder).uid,
    log: "0",
    app: "api",
    pmId: 0,
    stream: "out",
  } as const;
  const tail = new Tail(target, Number.POSITIVE_INFINITY, 0);
  const readAdded = (nowMs = 0): string[] => [...tail.readAdded(nowMs)].flat().map(({ text }) => text);
  return { path, tail, readAdded };
}

test("a line is read when it is complete, from its beginning", () => {
  const { path, tail, readAdded } = tailed("old\nto");
  expect(tail.place?.offset).toBe(4);
  appendFileSync(path, "rn\nnext\nbeg");
  expect(readAdded()).toEqual(["torn", "next"]);
  expect(readAdded()).toEqual([]);
  appendFileSync(path, "un\n\nlast\n");
  expect(readAdded()).toEqual(["begun", "last"]);
  tail.close();
});

test("a truncated file is read from its beginning, also if it is larger again", () => {
  const { path, tail, readAdded } = tailed("one\n");
  appendFileSync(path, "two\n");
  expect(readAdded()).toEqual(["two"]);
  truncateSync(path, 0);
  appendFileSync(path, "a\n");
  expect(readAdded()).toEqual(["a"]);
  truncateSync(path, 0);
  appendFileSync(path, "more than before\nand more\n");
  expect(readAdded()).toEqual(["more than before", "and more"]);
  tail.close();
});

test("lines that were copied before the file was truncated are read from the copy", () => {
  const { path, tail, readAdded } = tailed("one\n");
  appendFileSync(path, "two\nbeg");
  expect(readAdded()).toEqual(["two"]);
  appendFileSync(path, "un\nthree\n");
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
  appendFileSync(path, "four\n");
  expect(readAdded()).toEqual(["begun", "three", "four"]);
  tail.close();
});

test("a renamed file is read to its end, also what is written to it later", () => {
  const { path, tail, readAdded } = tailed();
  appendFileSync(path, "one\n");
  renameSync(path, `${path}.1`);
  expect(readAdded()).toEqual(["one"]);
  writeFileSync(path, "three\n");
  appendFileSync(`${path}.1`, "two\n");
  expect(readAdded()).toEqual(["two", "three"]);
  appendFileSync(`${path}.1`, "late\n");
  expect(readAdded()).toEqual(["late"]);
  tail.close();
});

test("a file that was created and renamed between two checks is read, too", () => {
  const { path, tail, readAdded } = tailed();
  const moved = (text: string, name: string, at: number): void => {
    appendFileSync(path, text);
    renameSync(path, `${path}.${name}`);
    utimesSync(`${path}.${name}`, at, at);
  };
  writeFileSync(`${path}.9`, "before\n");
  utimesSync(`${path}.9`, 1000, 1000);
  moved("one\n", "1", 2000);
  moved("two\n", "2", 3000);
  moved("three\n", "3", 4000);
  writeFileSync(path, "four\n");
  expect(readAdded()).toEqual(["one", "two", "three", "four"]);
  appendFileSync(`${path}.2`, "late\n");
  moved("five\n", "4", 5000);
  writeFileSync(path, "six\n");
  expect(readAdded()).toEqual(["late", "five", "six"]);
  tail.close();
});

test("if the file was removed, older files are not read again", () => {
  const { path, tail, readAdded } = tailed("old\n");
  writeFileSync(`${path}.1`, "older\n");
  rmSync(path);
  writeFileSync(path, "new\n");
  expect(readAdded()).toEqual(["new"]);
  tail.close();
});

test("only the beginning of a line of a megabyte is kept", () => {
  const { path, tail } = tailed();
  appendFileSync(path, `${"x".repeat(2 ** 20)}\nnext\n`);
  const lines = [...tail.readAdded(0)].flat();
  expect(lines.map(({ size, missing }) => size + missing)).toEqual([2 ** 20, 4]);
  expect(lines[0]?.size).toBe(128 * 1024);
  expect(lines[1]?.offset).toBe(2 ** 20 + 1);
  tail.close();
});
