/** The permitted imports between folders, with the reason of each rule: `npm run check:direction`. */

/** Files that reach the machine. The rest of the core takes text or data, or ports. */
const adapters =
  "^src/core/(.*\\.node\\.ts$|files/|pm2/(daemon|loader)/|logs/files/|metrics/machine/|running/evidence/|deploy/machine/|(index|node-ports)\\.ts$)";

/** The rooms of ideas: decisions, ports, adapters and operations of one idea. */
const rooms = "^src/core/[^/]+/";

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-cycle",
      comment: "A cycle has no first file to read, even if only types form it.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-cycle-between-rooms",
      comment: "Each folder of src/core is one idea. Somebody who reads a room must not have to read all others.",
      severity: "error",
      scope: "folder",
      from: { path: "^src/core/[^/]+$" },
      to: { circular: true, path: "^src/core/[^/]+$" },
    },
    {
      name: "rooms-do-not-import-the-front-door",
      comment: "The list of all ports and operations is above the rooms. A function names the ports that it needs.",
      severity: "error",
      from: { path: rooms },
      to: { path: "^src/core/[^/]+\\.ts$" },
    },
    {
      name: "only-adapters-import-node",
      comment: "A decision takes text or data and returns data; an operation uses the machine through ports.",
      severity: "error",
      from: { path: "^src/core/", pathNot: `${adapters}|^src/core/startup/index\\.ts$` },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "only-the-front-door-imports-adapters",
      comment: "An operation reaches the outside world only through its ports.",
      severity: "error",
      from: { path: "^src/core/", pathNot: `${adapters}|^src/core/startup/index\\.ts$` },
      to: { path: adapters, pathNot: "^src/core/files/(ports\\.ts$|reading\\.ts$|proc\\.ts$)" },
    },
    {
      name: "decisions-do-not-import-operations",
      comment: "Decisions and effects are in different files.",
      severity: "error",
      from: { path: rooms, pathNot: "/operations/" },
      to: { path: "/operations/" },
    },
    {
      name: "core-does-not-import-front-ends",
      comment: "The core works without a terminal, a socket or a browser; the front ends use it.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { path: "^src/(cli|commands|server|console|fleet|mcp)/" },
    },
    {
      name: "front-ends-import-the-core-index",
      comment:
        "Commands and server import core/index and the API, so the rest of the core can change. The launcher imports a single adapter.",
      severity: "error",
      from: { path: "^src/(cli|commands|server|mcp)/" },
      to: {
        path: "^src/core/",
        pathNot: "^src/core/(index\\.ts$|api/|access/parse\\.ts$|secrets/redact\\.ts$|words/|files/user-cache\\.ts$)",
      },
    },
    {
      name: "client-runs-anywhere",
      comment:
        "`svcm/client` runs in a browser, so it imports no Node module and no library, and only names from the core.",
      severity: "error",
      from: { path: "^src/client/" },
      to: { pathNot: "^src/(client/|core/api/(channel|names)\\.ts$)" },
    },
    {
      name: "commands-do-not-import-the-server",
      comment: "Only `svcm serve` and `svcm agent` start the server.",
      severity: "error",
      from: { path: "^src/commands/", pathNot: "^src/commands/(serve|agent)\\.ts$" },
      to: { path: "^src/server/" },
    },
    {
      name: "fleet-imports-the-core-index",
      comment:
        "The fleet is a front end for requests of other machines. It may import the decisions about nodes, but no terminal, HTTP or console code.",
      severity: "error",
      from: { path: "^src/fleet/" },
      to: {
        path: "^src/",
        pathNot: "^src/(fleet/|core/(index\\.ts$|api/|access/parse\\.ts$|nodes/|words/))",
      },
    },
    {
      name: "commands-load-the-fleet-on-demand",
      comment:
        "A single machine must not load the fleet. Commands import it dynamically when a request concerns another machine.",
      severity: "error",
      from: { path: "^src/(cli|commands)/" },
      to: { path: "^src/fleet/", dependencyTypesNot: ["dynamic-import", "type-only"] },
    },
    {
      name: "commands-load-mcp-on-demand",
      comment:
        "Only a program that speaks the Model Context Protocol needs its library. Commands import it dynamically.",
      severity: "error",
      from: { path: "^src/(cli|commands)/" },
      to: { path: "^src/mcp/", dependencyTypesNot: ["dynamic-import", "type-only"] },
    },
    {
      name: "mcp-imports-the-routes-only",
      comment: "Its tools are operations, with the words of their routes. It needs no other part of a front end.",
      severity: "error",
      from: { path: "^src/mcp/" },
      to: { path: "^src/(cli|commands|server|console|fleet)/", pathNot: "^src/server/routes?\\.ts$" },
    },
    {
      name: "only-mcp-imports-its-sdk",
      comment: "An external library with side effects is wrapped in one place.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/mcp/" },
      to: { path: "node_modules/@modelcontextprotocol/" },
    },
    {
      name: "only-the-fleet-links-import-nats",
      comment: "An external library with side effects is wrapped in one place.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/fleet/link(?:-api|-refusals)?\\.ts$" },
      to: { path: "node_modules/@nats-io/" },
    },
    {
      name: "serve-imports-only-server-start",
      comment: "The commands that start the server need only its start function.",
      severity: "error",
      from: { path: "^src/commands/(serve|agent)\\.ts$" },
      to: { path: "^src/server/", pathNot: "^src/server/start\\.ts$" },
    },
    {
      name: "server-does-not-import-other-front-ends",
      comment: "The server responds to requests; printing is the task of the command line.",
      severity: "error",
      from: { path: "^src/server/" },
      to: { path: "^src/(cli|commands|console|fleet|mcp)/" },
    },
    {
      name: "console-imports-only-pure-code",
      comment:
        "The console runs in a browser, so it imports only the API and the decisions of the core, and nothing from Node.",
      severity: "error",
      from: { path: "^src/console/" },
      to: {
        path: "^src/|^node:",
        pathNot:
          "^src/(console/|client/|core/(api|env|deployments|words)/|core/alerts/muted\\.ts$|core/events/event-text\\.ts$|core/logs/fields-text\\.ts$|core/yaml/write\\.ts$|core/rollout/report/words\\.ts$|core/running/state-text\\.ts$)",
      },
    },
    {
      name: "console-does-not-import-node",
      comment: "Node's modules do not exist in a browser.",
      severity: "error",
      from: { path: "^src/(console|client)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nothing-imports-the-console",
      comment: "The console is built separately and served as files.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/console/" },
      to: { path: "^src/console/" },
    },
    {
      name: "api-depends-on-nothing",
      comment: "The API is a contract with other programs, so it must not depend on internals.",
      severity: "error",
      from: { path: "^src/core/api/" },
      to: { path: "^src/core/", pathNot: "^src/core/(api/|errors\\.ts$|project/facts/json-schema\\.ts$)" },
    },
    {
      name: "only-core-yaml-imports-yaml",
      comment: "An external library with side effects is wrapped in one place.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/yaml/" },
      to: { path: "node_modules/yaml/" },
    },
    {
      name: "only-the-worker-imports-pm2",
      comment: "PM2 may exit the process that loads it, and passes its environment to the apps that it starts.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/pm2/daemon/worker/" },
      to: { path: "node_modules/pm2/" },
    },
    {
      name: "only-adapters-and-the-launcher-import-fs",
      comment:
        "A file may be a pipe, a link, or larger than memory, which the core's adapters handle. The launcher reads its own build; the terminal writes to its descriptors, and help looks which files a repository has.",
      severity: "error",
      from: { path: "^src/", pathNot: `${adapters}|^src/(cli/|commands/terminal/(output|present-subjects)\\.ts$)` },
      to: { path: "^(node:)?fs(/promises)?$", dependencyTypes: ["core"] },
    },
    {
      name: "no-test-code-in-the-product",
      comment: "The published package does not contain tests, benches and scripts.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|scripts)/" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default", "types"] },
    doNotFollow: { path: "node_modules" },
  },
};
