import type { Item } from "./grpc-client.ts";

export const realtime = (protocol: string) => ({ SVC_REALTIME_API: "yes", SVC_REALTIME_API_PROTOCOL: protocol });
const body = JSON.stringify({ name: "€".repeat(100) });

export async function add(url: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = (await (await fetch(`${url}/items`, { method: "POST", body })).json()) as Item;
    ids.push(id);
  }
  return ids;
}
