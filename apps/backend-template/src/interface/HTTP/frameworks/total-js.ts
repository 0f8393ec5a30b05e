import type { EventEmitter } from "node:events";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const framework = await loadTotal();
  await new Promise<void>((resolve) => void framework.load("none", resolve, false));
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    framework.route(`${route.method} ${path}`, ({ params, req, res }) => void respondOnNode(route, params, req, res));
  }
  // Otherwise it would sort 100 ms later.
  framework.TRouting.sort();
  framework.on("request", (controller) => {
    // Without a data type, it leaves the body to the handler.
    controller.datatype = "";
  });
  return { listener: (request, response) => framework.THttp.listen(request, response) };
};

const PROCESS_EVENTS = ["SIGTERM", "SIGINT", "exit", "unhandledRejection", "uncaughtException", "message"];

/** Imports the framework and reverts its changes to the process: its handlers and its time zone. */
async function loadTotal() {
  const self: EventEmitter = process;
  const before = new Set(PROCESS_EVENTS.flatMap((event) => self.listeners(event)));
  const { TZ } = process.env;
  const { default: framework } = await import("total5");
  for (const event of PROCESS_EVENTS) {
    for (const listener of self.listeners(event)) {
      if (!before.has(listener)) self.removeListener(event, listener as () => void);
    }
  }
  if (TZ === undefined) delete process.env["TZ"];
  else process.env["TZ"] = TZ;
  return framework;
}
