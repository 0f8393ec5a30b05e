import { Sails } from "sails";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

const off = Object.fromEntries(
  [
    "blueprints",
    "cors",
    "csrf",
    "grunt",
    "helpers",
    "policies",
    "services",
    "orm",
    "i18n",
    "moduleloader",
    "pubsub",
    "security",
    "session",
    "userconfig",
    "userhooks",
    "views",
  ].map((hook) => [hook, false]),
);

export const createApplication: CreateApplication = async (routes) => {
  const app = new Sails();
  const table = Object.fromEntries(
    routes.map((route) => [
      `${route.method} ${route.path}`,
      (
        request: Parameters<typeof respondOnNode>[2] & { params: Record<string, string> },
        response: Parameters<typeof respondOnNode>[3],
      ) => respondOnNode(route, request.params, request, response),
    ]),
  );
  const options = {
    appPath: import.meta.dirname,
    environment: "production",
    hooks: off,
    http: { middleware: { order: ["router"] } },
    log: { level: "error" },
    routes: table,
  };
  await new Promise<void>((resolve, reject) => {
    app.load(options, (error) => (error ? reject(error) : resolve()));
  });
  // `lift` would open a socket.
  app.emit("ready");
  return { listener: app.hooks.http.app, close: () => new Promise((resolve) => app.lower(resolve)) };
};
