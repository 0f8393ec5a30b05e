import { isUtf8 } from "node:buffer";
import { expect, test } from "vitest";
import { decodeUtf8, describeInvalidUtf8 } from "../../../src/core/words/utf8.ts";
import { randomNumbers } from "../../support/random.ts";

const LEADS = [0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
const SECONDS = [0x0a, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbd, 0xbf, 0xc0];
const STARTS = ["", "text", "é", "€\n", "😀", "\uFFFD", "\uFEFF"];
const MAX_SEQUENCE = 4;

function offsetIn(text: string): number {
  return Number(/byte offset (\d+)/.exec(text)?.[1]);
}

/** By Node's own check: what precedes the offset is UTF-8, and no character begins at it. */
function isRight(bytes: Buffer, offset: number): boolean {
  const starts = Array.from({ length: Math.min(MAX_SEQUENCE, bytes.length - offset) }, (_, index) =>
    bytes.subarray(offset, offset + index + 1),
  );
  return isUtf8(bytes.subarray(0, offset)) && !starts.some((start) => isUtf8(start));
}

test("the offset is that of the first byte that is not UTF-8 text", () => {
  const random = randomNumbers(8);
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const all = Array.from({ length: 5000 }, () =>
    Buffer.concat([
      Buffer.from(any(STARTS)),
      Buffer.from([any(LEADS), any(SECONDS), any(SECONDS), any(SECONDS)].slice(0, any([1, 2, 3, 4]))),
      Buffer.from("end\n"),
    ]),
  );
  expect(all.filter((bytes) => (decodeUtf8(bytes) !== undefined) !== isUtf8(bytes))).toEqual([]);
  const invalid = all.filter((bytes) => !isUtf8(bytes));
  expect(invalid.length).toBeGreaterThan(1000);
  expect(invalid.filter((bytes) => !isRight(bytes, offsetIn(describeInvalidUtf8(bytes))))).toEqual([]);
});

test("a text does not hold a NUL, and UTF-16 is named", () => {
  expect(describeInvalidUtf8(Buffer.from("one\ntwo\0three"))).toBe(
    "The file holds a NUL byte, so it is not text: byte offset 7, in line 2.",
  );
  expect(decodeUtf8(Buffer.from("two\0"))).toBeUndefined();
  for (const text of [Buffer.from("a=b", "utf16le"), Buffer.from([0xff, 0xfe, 0x41, 0x00]), Buffer.from([0x00, 0x41])])
    expect(describeInvalidUtf8(text)).toContain("The file is UTF-16");
});
