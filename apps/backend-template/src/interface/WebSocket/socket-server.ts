import type { Server as HttpServer } from "node:http";
import { Server } from "socket.io";
import type { Backend } from "../../backend.ts";
import type { ItemStore } from "../../items/item-store.ts";
import { followItems } from "../../items/realtime-items.ts";
import { HttpProblem } from "../HTTP/route.ts";
import { endSlowReaders } from "./end-slow-readers.ts";
import { mayConnect } from "../may-connect.ts";
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
    allowRequest: (request, decide) => decide(null, mayConnect(request, allowedOrigins)),
  });
  endSlowReaders(io);
  if (authentication) io.use(requireUser(authentication));
  io.on("connection", (socket) => {
    socket.on("items.list", (answer: unknown) => {
      if (typeof answer !== "function") return;
      const store = { id: socket.id, event: "items.list", startedAt: Date.now() };
      void backend.contexts.run(store, async () => answer(await listed(items)));
    });
  });
  return io;
}

/** Reaches every connected client, on any worker or host. */
export function broadcastItems(io: Server, backend: Backend, items: ItemStore): Promise<void> {
  return followItems(backend, items, (item) => io.emit("item.created", item));
}

async function listed(items: ItemStore): Promise<unknown> {
  try {
    return { items: await items.list() };
  } catch (error) {
    if (!(error instanceof HttpProblem)) console.error(error);
    return { error: "Internal error." };
  }
}
