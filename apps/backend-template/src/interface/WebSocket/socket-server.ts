import type { Server as HttpServer } from "node:http";
import { Server } from "socket.io";
import type { Backend } from "../../backend.ts";
import type { ItemStore } from "../../items/item-store.ts";
import { followItems } from "../../items/realtime-items.ts";
import { HttpProblem } from "../HTTP/route.ts";
import { isOriginAllowed } from "../../process/allowed-origins.ts";
import { requireUser } from "./require-user.ts";

/**
 * Responds to `items.list` and sends each new item to all clients as `item.created`.
 *
 * @param items the realtime API's own items
 */
export function socketServer(server: HttpServer, backend: Backend, items: ItemStore): Server {
  const { allowedOrigins, authentication } = backend;
  const io = new Server(server, {
    serveClient: false,
    maxHttpBufferSize: 64 * 1024,
    // A client must authenticate within this time.
    connectTimeout: 10_000,
    cors: { origin: [...allowedOrigins] },
    allowRequest: (request, decide) => decide(null, isOriginAllowed(request, allowedOrigins)),
  });
  disconnectSlowReaders(io);
  if (authentication) io.use(requireUser(authentication));
  io.on("connection", (socket) => {
    socket.on("items.list", (acknowledge: unknown) => {
      if (typeof acknowledge !== "function") return;
      const store = { id: socket.id, event: "items.list", startedAt: Date.now() };
      void backend.contexts.run(store, async () => acknowledge(await listItems(items)));
    });
  });
  return io;
}

/** Reaches every connected client, on any worker or host. */
export function broadcastItems(io: Server, backend: Backend, items: ItemStore): Promise<void> {
  return followItems(backend, items, (item) => io.emit("item.created", item));
}

async function listItems(items: ItemStore): Promise<unknown> {
  try {
    return { items: await items.list() };
  } catch (error) {
    if (!(error instanceof HttpProblem)) console.error(error);
    return { error: "Internal error." };
  }
}

/** For one client, apart from bytes in transit. */
const MAX_PENDING_BYTES = 1024 * 1024;

/** The types of engine.io omit these events. */
interface Connection {
  on(event: "flush", listener: () => void): void;
  on(event: "packetCreate", listener: (packet: { data?: string | Buffer }) => void): void;
  /** Accepts nothing more, sends what is pending, then closes. */
  close(): void;
}

/**
 * A disconnected client reconnects by itself. Otherwise socket.io would keep everything for it until its heartbeat is
 * overdue, and `volatile` would silently drop items.
 */
function disconnectSlowReaders(io: Server): void {
  io.engine.on("connection", (connection: Connection) => {
    let pending = 0;
    connection.on("flush", () => (pending = 0));
    connection.on("packetCreate", ({ data = "" }) => {
      // Only earlier packets count, because one list may be longer than the limit.
      if (pending > MAX_PENDING_BYTES) connection.close();
      pending += Buffer.byteLength(data);
    });
  });
}
