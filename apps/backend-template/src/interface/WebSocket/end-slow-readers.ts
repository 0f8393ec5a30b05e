import type { Server } from "socket.io";

/** For one client, apart from bytes in transit. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** The types of engine.io omit these events. */
interface Connection {
  on(event: "flush", listener: () => void): void;
  on(event: "packetCreate", listener: (packet: { data?: string | Buffer }) => void): void;
  /** Accepts nothing more, sends what is waiting, then closes. */
  close(): void;
}

/**
 * A disconnected client reconnects by itself. Otherwise socket.io would keep everything for it until its heartbeat is
 * overdue, and `volatile` would silently drop items.
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
