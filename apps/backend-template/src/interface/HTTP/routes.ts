import type { Backend } from "../../backend.ts";
import type { Item } from "../../items/item-store.ts";
import { HttpProblem, type Route } from "./route.ts";

/** The whole HTTP API, which every framework serves exactly. */
export function createRoutes({ plan, items, contexts, counters, ...backend }: Backend): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/health",
      access: "everyone",
      handle: () => ({ status: 200, body: health(plan) }),
    },
    {
      method: "GET",
      path: "/async-context-metrics",
      access: "this machine",
      handle: () => ({ status: 200, body: contexts.metrics() }),
    },
    {
      method: "GET",
      path: "/counters",
      handle: async () => ({ status: 200, body: { itemsCreated: await counters.read("items-created") } }),
    },
    { method: "GET", path: "/items", handle: async () => ({ status: 200, body: await items.list() }) },
    {
      method: "GET",
      path: "/items/:id",
      handle: async ({ params }) => ({ status: 200, body: requireItem(await items.get(params["id"] ?? "")) }),
    },
    {
      method: "POST",
      path: "/items",
      handle: async ({ body }) => ({ status: 201, body: await backend.addItem(readName(body)) }),
    },
    {
      method: "DELETE",
      path: "/items/:id",
      async handle({ params }) {
        if (!(await backend.removeItem(params["id"] ?? ""))) requireItem(undefined);
        return { status: 204 };
      },
    },
  ];
}

function health({ entrypoint, httpFramework }: Backend["plan"]) {
  return { status: "ok", entrypoint, framework: httpFramework, pid: process.pid };
}

function requireItem(item: Item | undefined): Item {
  if (item === undefined) throw new HttpProblem(404, "No such item.");
  return item;
}

function readName(body: unknown): string {
  const name: unknown = typeof body === "object" && body !== null && "name" in body ? body.name : undefined;
  if (typeof name === "string" && name !== "" && name.length <= 100) return name;
  throw new HttpProblem(400, 'Expected { "name": text of 1 to 100 characters }.');
}
