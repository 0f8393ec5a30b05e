import {
  credentials,
  loadPackageDefinition,
  type Client,
  type ClientReadableStream,
  type Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { join } from "node:path";

export interface Item {
  readonly id: string;
  readonly name: string;
}

export interface ItemsClient extends Client {
  Get(request: { id: string }, callback: (error: ServiceError | null, item?: Item) => void): void;
  Get(request: { id: string }, metadata: Metadata, callback: (error: ServiceError | null, item?: Item) => void): void;
  List(request: object, metadata?: Metadata): ClientReadableStream<Item>;
  Watch(request: object): ClientReadableStream<Item>;
}

export function addressOf(output: string): string {
  return /gRPC on (127\.0\.0\.1:\d+)/.exec(output)?.[1] ?? "";
}

export function itemsClient(output: string): ItemsClient {
  const proto = join(import.meta.dirname, "../src/interface/gRPC/items.proto");
  const definition = loadPackageDefinition(loadSync(proto, { keepCase: true })) as unknown as {
    items: {
      v1: { Items: new (address: string, credential: ReturnType<typeof credentials.createInsecure>) => ItemsClient };
    };
  };
  return new definition.items.v1.Items(addressOf(output), credentials.createInsecure());
}

/** Watches for new items. Resolves when the server has registered the watch. */
export async function watchItems(output: string): Promise<Disposable & { next(): Promise<Item> }> {
  const client = itemsClient(output);
  const stream = client.Watch({});
  const items = stream[Symbol.asyncIterator]() as AsyncIterator<Item>;
  await new Promise((resolve) => stream.once("metadata", resolve));
  return {
    next: async () => (await items.next()).value as Item,
    [Symbol.dispose]() {
      stream.on("error", () => undefined);
      stream.cancel();
      client.close();
    },
  };
}
