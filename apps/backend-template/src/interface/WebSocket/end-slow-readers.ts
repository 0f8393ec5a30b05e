import type { Server } from "socket.io";

/** At most so much waits for a slow client, beside the bytes that are on their way. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** The part of engine.io's connection that is used here. Its types leave the events out. */
interface Connection {
  on(event: "flush", listener: () => void): void;
  on(event: "packetCreate", listener: (packet: { data?: string | Buffer }) => void): void;
  /** Takes nothing more, sends what waits, then ends. */
  close(): void;
}

/**
 * Ends the connection of a client that falls further behind. The client connects again by itself. socket.io would keep
 * everything for it until its heartbeat is overdue, and `volatile` would leave items out silently.
 */
export function endSlowReaders(io: Server): void {
  io.engine.on("connection", (connection: Connection) => {
    let waiting = 0;
    connection.on("flush", () => (waiting = 0));
    connection.on("packetCreate", ({ data = "" }) => {
      // Only earlier packets count, because one list may be longer than the limit.
      if (waiting > MOST_WAITING_BYTES) connection.close();
      waiting += Buffer.byteLength(data);
    });
  });
}
