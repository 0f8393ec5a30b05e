import type { Server } from "socket.io";

/** What waits at most for a client that reads more slowly than it is told; what came before is on its way. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** What of engine.io's connection is used here; its types leave the events out. */
interface Connection {
  on(event: "flush", listener: () => void): void;
  on(event: "packetCreate", listener: (packet: { data?: string | Buffer }) => void): void;
  /** Takes nothing more, sends what waits, then ends. */
  close(): void;
}

/**
 * Ends the connection of a client that falls further behind, which connects again by itself: socket.io would keep
 * everything for it until its heartbeat is overdue, and `volatile` would leave out what it then never hears of.
 */
export function endSlowReaders(io: Server): void {
  io.engine.on("connection", (connection: Connection) => {
    let waiting = 0;
    connection.on("flush", () => (waiting = 0));
    connection.on("packetCreate", ({ data = "" }) => {
      // By what stands before it: a list may be longer by itself.
      if (waiting > MOST_WAITING_BYTES) connection.close();
      waiting += Buffer.byteLength(data);
    });
  });
}
