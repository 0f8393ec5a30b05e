import { withPackages } from "../../process/required-package.ts";
import type { CreateApplication } from "./framework.ts";

/** The npm packages of each framework, to name missing ones, and its bridge. */
const frameworks: Readonly<
  Record<string, { packages: readonly string[]; load: () => Promise<{ createApplication: CreateApplication }> }>
> = {
  express: { packages: ["express"], load: () => import("./frameworks/express.ts") },
  fastify: { packages: ["fastify"], load: () => import("./frameworks/fastify.ts") },
  restify: { packages: ["restify"], load: () => import("./frameworks/restify.ts") },
  "cloudflare-workers": { packages: [], load: () => import("./frameworks/cloudflare-workers.ts") },
  "vercel-functions": { packages: ["@vercel/functions"], load: () => import("./frameworks/vercel-functions.ts") },
  loopback: { packages: ["@loopback/core", "@loopback/rest"], load: () => import("./frameworks/loopback.ts") },
  "sails-js": { packages: ["sails"], load: () => import("./frameworks/sails-js.ts") },
  feathers: {
    packages: ["@feathersjs/feathers", "@feathersjs/koa"],
    load: () => import("./frameworks/feathers.ts"),
  },
  "derby-js": { packages: ["derby", "racer"], load: () => import("./frameworks/derby-js.ts") },
  "adonis-js": {
    packages: [
      "@adonisjs/application",
      "@adonisjs/encryption",
      "@adonisjs/events",
      "@adonisjs/http-server",
      "@adonisjs/logger",
    ],
    load: () => import("./frameworks/adonis-js.ts"),
  },
  "total-js": { packages: ["total5"], load: () => import("./frameworks/total-js.ts") },
};

export const frameworkNames: readonly string[] = Object.keys(frameworks);

/**
 * Refuses an unsupported name before anything is imported.
 *
 * @throws {Error} for an unsupported name, or for missing packages, with their names.
 */
export async function loadFramework(name: string): Promise<CreateApplication> {
  const framework = Object.hasOwn(frameworks, name) ? frameworks[name] : undefined;
  if (!framework) {
    throw new Error(`SVC_HTTP_FRAMEWORK: unsupported value "${name}"; accepted: ${frameworkNames.join(", ")}`);
  }
  const { packages, load } = framework;
  return (await withPackages(`SVC_HTTP_FRAMEWORK=${name}`, packages, load)).createApplication;
}
