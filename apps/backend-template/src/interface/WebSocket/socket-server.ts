import type { Server as HttpServer } from "node:http";
import { Server } from "socket.io";
import { ITEM_CREATED, type Backend } from "../../backend.ts";
import { HttpProblem } from "../HTTP/route.ts";
import { endSlowReaders } from "./end-slow-readers.ts";
import { mayConnect } from "./may-connect.ts";

/** The WebSocket API on an HTTP server: `items.list` is answered, a new item is told to all as `item.created`. */
export function socketServer(server: HttpServer, backend: Backend): Server {
  const { allowedOrigins } = backend;
  const io = new Server(server, {
    serveClient: false,
    maxHttpBufferSize: 64 * 1024,
    cors: { origin: [...allowedOrigins] },
    allowRequest: (request, decide) => decide(null, mayConnect(request, allowedOrigins)),
  });
  endSlowReaders(io);
  io.on("connection", (socket) => {
    socket.on("items.list", (answer: unknown) => {
      if (typeof answer !== "function") return;
      const store = { id: socket.id, event: "items.list", startedAt: Date.now() };
      void backend.contexts.run(store, async () => answer(await listed(backend)));
    });
  });
  return io;
}

/** Tells every connected client, at whatever worker or host it is, of the items that this process handles. */
export function broadcastItems(io: Server, backend: Backend): Promise<void> {
  return backend.mediator.handle(ITEM_CREATED, (item) => {
    io.emit("item.created", item);
  });
}

async function listed({ items }: Backend): Promise<unknown> {
  try {
    return { items: await items.list() };
  } catch (error) {
    if (!(error instanceof HttpProblem)) console.error(error);
    return { error: "Internal error." };
  }
}
