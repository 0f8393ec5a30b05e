import { expect, test } from "vitest";
import { readArchiveEntry } from "../../../src/core/deploy/machine/release-file.ts";

const time = "2026-11-27 11:00:00";

test.each([
  [`-rw-r--r-- 0/0              12 ${time} "a b.js"`, 12, undefined],
  [`-rw-r--r-- 1000/1000 9 ${time} "a \\" -> \\303\\274"`, 9, undefined],
  [`lrwxrwxrwx 0/0 0 ${time} "a" -> "../../etc"`, 0, undefined],
  [`hrw-r--r-- 0/0 0 ${time} "a" link to "b"`, 0, undefined],
  [`crw-r--r-- 0/0 1,3 ${time} "null"`, 0, "null is a device"],
  [`-rw-r--r-- 0/0 1 ${time} "a/../../b"`, 1, "lies outside"],
  [`-rw-r--r-- 0/0 1 ${time} "/etc/passwd"`, 1, "lies outside"],
  [`-rw-r--r-- 0/0 1 ${time} "a/.git/hooks/x"`, 1, "Git repository"],
  [`-rw-r--r-- 0/0 1 ${time} "..a/.gitignore"`, 1, undefined],
  [`-rw-r--r-- 0/0 1 ${time} "cut off`, 0, "cannot read"],
  ["", 0, "cannot read"],
])("%s", (line, bytes, why) => {
  const entry = readArchiveEntry(line);
  expect(entry.bytes).toBe(bytes);
  expect(entry.refusal).toEqual(why === undefined ? undefined : expect.stringContaining(why));
});
