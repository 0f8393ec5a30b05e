/** Messages of PM2's socket, compared with PM2's own codec. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import {
  AnswerReader,
  MAX_ANSWER_BYTES,
  encodeRequest,
  AnswerTooLargeError,
} from "../../../../src/core/pm2/daemon/daemon.ts";

interface Message {
  readonly args: unknown[];
  push(part: unknown): void;
  toBuffer(): Buffer;
}

const ofPm2 = createRequire(createRequire(import.meta.url).resolve("pm2"));
const PM2Message = ofPm2("amp-message") as new (bytes?: Buffer) => Message;

function answer(id: string, body: object): Buffer {
  const message = new PM2Message();
  message.push(body);
  message.push(id);
  return message.toBuffer();
}

test("PM2 reads a request", () => {
  const args = [{ id: 3, env: { NAME: "größer 🙂" } }, "two"];
  const read = new PM2Message(encodeRequest("7", "restartProcessId", args));
  expect(read.args).toEqual([{ type: "call", method: "restartProcessId", args }, "7"]);
});

test("a response is read in chunks of any size", () => {
  const sent = [
    answer("1", { args: [[{ name: "größer 🙂" }]] }),
    answer("2", { error: "no such process", stack: "…" }),
    answer("3", { args: [] }),
  ];
  const read = [
    { id: "1", value: [{ name: "größer 🙂" }] },
    { id: "2", error: "no such process" },
    { id: "3", value: undefined },
  ];
  const bytes = Buffer.concat(sent);
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new AnswerReader();
    const answers = [];
    for (let at = 0; at < bytes.length; at += size) answers.push(...reader.add(bytes.subarray(at, at + size)));
    expect(answers, `in pieces of ${size} bytes`).toEqual(read);
  }
});

test("a response that is too large is refused as soon as its header is read", () => {
  const head = Buffer.alloc(5, 0x12);
  head.writeUInt32BE(MAX_ANSWER_BYTES, 1);
  expect(() => new AnswerReader().add(head)).toThrow(AnswerTooLargeError);
});

test.each([
  ["nothing", Buffer.of(0x10)],
  ["no JSON", answer("1", {}).fill(0x20, 5, 9)],
])("a message with %s is refused", (_, bytes) => {
  expect(() => new AnswerReader().add(bytes)).toThrow(SyntaxError);
});
