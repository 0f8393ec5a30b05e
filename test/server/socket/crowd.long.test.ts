/** A thousand sockets, fifty of which never read: memory stays constant, and everything is released at the end. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { WebSocket } from "ws";
import { expect, onTestFinished, test } from "vitest";
import { SOCKET_PATH } from "../../../src/core/api/channel.ts";
import { BUILT_CHILDREN } from "../../support/build-once.ts";
import { repository } from "../support.ts";

const READING = 950;
const DEAF = 50;
const ROUNDS = 10;
const SAMPLES_A_ROUND = 200;
const SAMPLE_BYTES = 20_000;
const MEBIBYTE = 2 ** 20;
/** Queues for clients that do not read would use twenty times as much. */
const MAX_GROWTH = 20 * MEBIBYTE;
const CHILD = join(BUILT_CHILDREN, "serve-crowd.mjs");

test("memory stays constant, and the server ends without being killed", async () => {
  const argv = [repository().root, String(2 * (READING + DEAF)), String(SAMPLE_BYTES)];
  const child = fork(CHILD, argv, { execArgv: ["--expose-gc"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const answer = async (): Promise<unknown> => ((await once(child, "message")) as [{ answer: unknown }])[0].answer;
  const order = async (name: string, count = 0): Promise<unknown> => {
    const answered = answer();
    child.send({ name, count });
    return await answered;
  };
  const port = Number(new URL(String(await answer())).port);

  let received = 0;
  const readers = Array.from({ length: READING }, () => new WebSocket(`ws://127.0.0.1:${port}${SOCKET_PATH}`));
  for (const reader of readers) reader.on("message", () => (received += 1));
  await Promise.all(readers.map((reader) => once(reader, "open")));
  for (const reader of readers) reader.send('{"type":"subscribe"}');
  const deaf = await Promise.all(Array.from({ length: DEAF }, () => deafSocket(port)));
  onTestFinished(() => {
    for (const socket of deaf) socket.destroy();
    for (const reader of readers) reader.terminate();
  });
  await order("watchers", READING + DEAF);

  await order("give", SAMPLES_A_ROUND);
  const before = Number(await order("memory"));
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await order("give", SAMPLES_A_ROUND);
    sizes.push(Number(await order("memory")) - before);
  }
  const growth = Math.max(...sizes.slice(-3));
  console.log(`1000 sockets: ${(growth / MEBIBYTE).toFixed(1)} MiB of growth, ${received} frames read`);
  expect(received).toBeGreaterThan(READING * ROUNDS);
  expect(growth).toBeLessThan(MAX_GROWTH);

  const closed = Promise.all(readers.map(async (reader) => ((await once(reader, "close")) as [number])[0]));
  const ended = once(child, "exit");
  child.send({ name: "close" });
  expect(new Set(await closed)).toEqual(new Set([1001]));
  expect(await ended).toEqual([0, null]);
});

/** Subscribes, and does not read from then on. */
async function deafSocket(port: number) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(
    `GET ${SOCKET_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  await once(socket, "data");
  socket.pause();
  const text = Buffer.from('{"type":"subscribe"}');
  socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
  return socket;
}
