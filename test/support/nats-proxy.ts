/** A TCP proxy on loopback in front of a NATS server. It can hold messages, and close connections at an exact message. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Receives each chunk before it is forwarded. With `cut`, the chunk is dropped and all connections are closed. */
export type Watch = (direction: "sent" | "received", text: string) => "cut" | undefined;

export interface NatsProxy {
  readonly url: string;
  watch(watch: Watch): void;
  /** Holds all messages from now on, as a network that loses nothing and delivers late. */
  hold(): void;
  /** Delivers the held messages in order. */
  release(): void;
}

export async function natsProxy(server: string): Promise<NatsProxy> {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  let [isHeld, kept]: [boolean, (() => void)[]] = [false, []];
  let watch: Watch = () => undefined;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const carry = (from: Socket, to: Socket, direction: "sent" | "received"): void => {
    sockets.add(from);
    from.on("error", () => undefined);
    from.on("close", () => void (sockets.delete(from), to.destroy()));
    from.on("data", (chunk: Buffer) => {
      if (watch(direction, chunk.toString("latin1")) === "cut") cut();
      else if (isHeld) kept.push(() => void (to.destroyed || to.write(chunk)));
      else if (!to.destroyed) to.write(chunk);
    });
  };
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    carry(client, upstream, "sent");
    carry(upstream, client, "received");
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return {
    url: `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    watch: (next) => void (watch = next),
    hold: () => void (isHeld = true),
    release: () => {
      isHeld = false;
      for (const deliver of kept.splice(0)) deliver();
      kept = [];
    },
  };
}
