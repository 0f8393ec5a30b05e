import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  status,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { loadSync } from "@grpc/proto-loader";
import { HealthImplementation } from "grpc-health-check";
import type { Backend } from "../../backend.ts";
import type { Item, ItemStore } from "../../items/item-store.ts";
import { followItems } from "../../items/realtime-items.ts";
import { requireUser } from "./require-user.ts";
import { itemWatchers, type Watchers } from "./watchers.ts";

const SERVICE = "items.v1.Items";
const MAX_MESSAGE_BYTES = 64 * 1024;
const DRAIN_MS = 3000;

export interface GrpcService {
  readonly port: number;
  /** Completes calls in flight; ends streams that are still open after three seconds. */
  close(): Promise<void>;
}

/**
 * Includes health checking and reflection.
 *
 * @param items the realtime API's own items
 * @throws {Error} if the port is in use.
 */
export async function startGrpc(
  backend: Backend,
  items: ItemStore,
  listen: { host: string; port: number },
): Promise<GrpcService> {
  const { authentication, contexts } = backend;
  const definition = loadSync(`${import.meta.dirname}/items.proto`, { keepCase: true });
  const server = new Server({
    "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
    // Two processes must not silently share the port.
    "grpc.so_reuseport": 0,
    interceptors: authentication ? [requireUser(authentication)] : [],
  });
  const watchers = itemWatchers();
  server.addService(itemsDefinition(definition), itemsHandlers(items, contexts, watchers));
  const health = new HealthImplementation({ "": "SERVING", [SERVICE]: "SERVING" });
  health.addToServer(server);
  new ReflectionService(definition).addToServer(server);
  await followItems(backend, items, (item) => watchers.announce(item));
  const port = await bind(server, `${listen.host}:${listen.port}`);
  return {
    port,
    async close() {
      health.setStatus("", "NOT_SERVING");
      health.setStatus(SERVICE, "NOT_SERVING");
      watchers.end();
      await drain(server);
    },
  };
}

function itemsDefinition(definition: ReturnType<typeof loadSync>): ServiceDefinition {
  const { items } = loadPackageDefinition(definition) as unknown as {
    items: { v1: { Items: { service: ServiceDefinition } } };
  };
  return items.v1.Items.service;
}

function itemsHandlers(
  items: ItemStore,
  contexts: Backend["contexts"],
  watchers: Watchers,
): {
  Get: handleUnaryCall<{ id: string }, Item>;
  List: handleServerStreamingCall<unknown, Item>;
  Watch: handleServerStreamingCall<unknown, Item>;
} {
  return {
    Get(call, respond) {
      void inContext(contexts, "Get", async () => {
        const item = await items.get(call.request.id);
        if (item) respond(null, item);
        else respond({ code: status.NOT_FOUND, details: "No such item." });
      }).catch(() => respond({ code: status.INTERNAL, details: "Internal error." }));
    },
    List(call) {
      void inContext(contexts, "List", async () => {
        for (const item of await items.list()) call.write(item);
        call.end();
      }).catch(() => call.emit("error", { code: status.INTERNAL, details: "Internal error." }));
    },
    Watch: (call) => watchers.add(call),
  };
}

async function inContext(contexts: Backend["contexts"], method: string, work: () => Promise<void>): Promise<void> {
  try {
    await contexts.run({ rpc: `${SERVICE}/${method}`, startedAt: Date.now() }, work);
  } catch (error) {
    console.error(error);
    throw error;
  }
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, DRAIN_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
