/** The direction of imports, executable. Each rule says why. `npm run check:direction` runs it. */

const decisions =
  "^src/core/(words|secrets|api|facts|project|findings|env|pm2|deployments|rollout|nodes|events|logs|history|alerts|metrics|audit|startup|yaml)/";

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
      name: "core-knows-no-face",
      comment: "The core is what svcm is; a terminal, a socket and a browser only ask it.",
      severity: "error",
      from: { path: "^src/core/" },
      to: { path: "^src/(cli|commands|server|console|fleet)/" },
    },
    {
      name: "faces-enter-by-the-front-door",
      comment:
        "Commands and server use core/index and the API, so that the inside of the core can change. The launcher loads one adapter alone.",
      severity: "error",
      from: { path: "^src/(cli|commands|server)/" },
      to: {
        path: "^src/core/",
        pathNot: "^src/core/(index\\.ts$|api/|secrets/redact\\.ts$|words/|adapters/user-cache\\.ts$)",
      },
    },
    {
      name: "client-runs-anywhere",
      comment: "A browser loads `svcm/client`: no Node module, no library, and of the core only names.",
      severity: "error",
      from: { path: "^src/client/" },
      to: { pathNot: "^src/(client/|core/api/(channel|names)\\.ts$)" },
    },
    {
      name: "faces-do-not-know-each-other",
      comment: "Only `svcm serve` and `svcm agent` start the server.",
      severity: "error",
      from: { path: "^src/commands/", pathNot: "^src/commands/(serve|agent)\\.ts$" },
      to: { path: "^src/server/" },
    },
    {
      name: "fleet-is-a-face",
      comment:
        "Requests of other machines enter by the front door, and the fleet knows no terminal, no HTTP and no page. It makes the decisions about nodes.",
      severity: "error",
      from: { path: "^src/fleet/" },
      to: {
        path: "^src/",
        pathNot: "^src/(fleet/|core/(index\\.ts$|api/|nodes/|words/))",
      },
    },
    {
      name: "fleet-on-request",
      comment: "One machine loads nothing of the fleet: commands import it when a request concerns another machine.",
      severity: "error",
      from: { path: "^src/(cli|commands)/" },
      to: { path: "^src/fleet/", dependencyTypesNot: ["dynamic-import", "type-only"] },
    },
    {
      name: "nats-once",
      comment: "An outside library with effects is wrapped once.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/fleet/link(?:-events|-nodes|-refusals|-rollouts|-streams)?\\.ts$" },
      to: { path: "node_modules/@nats-io/" },
    },
    {
      name: "serve-starts-and-no-more",
      comment: "The command that starts the server knows how to start it, not what it is made of.",
      severity: "error",
      from: { path: "^src/commands/(serve|agent)\\.ts$" },
      to: { path: "^src/server/", pathNot: "^src/server/start\\.ts$" },
    },
    {
      name: "server-knows-no-terminal",
      comment: "The server answers requests; printing is the command line's.",
      severity: "error",
      from: { path: "^src/server/" },
      to: { path: "^src/(cli|commands|console|fleet)/" },
    },
    {
      name: "console-knows-what-is-pure",
      comment: "The console runs in a browser: of the core it uses the API and decisions, of Node nothing.",
      severity: "error",
      from: { path: "^src/console/" },
      to: {
        path: "^src/|^node:",
        pathNot:
          "^src/(console/|client/|core/(api|env|deployments|words)/|core/events/event-text\\.ts$|core/yaml/write\\.ts$|core/rollout/report/words\\.ts$)",
      },
    },
    {
      name: "console-touches-no-node",
      comment: "There is no Node in a browser.",
      severity: "error",
      from: { path: "^src/(console|client)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nobody-needs-the-console",
      comment: "It is built on its own and served as files.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/console/" },
      to: { path: "^src/console/" },
    },
    {
      name: "decisions-touch-nothing",
      comment: "Decisions take text or data and return data: no Node module, no operation, no adapter.",
      severity: "error",
      from: { path: decisions, pathNot: "^src/core/startup/index\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "decisions-know-no-doing",
      comment: "Deciding and doing are different files.",
      severity: "error",
      from: { path: decisions, pathNot: "^src/core/startup/index\\.ts$" },
      to: { path: "^src/core/(operations|adapters)/|^src/core/(index|operation)\\.ts$" },
    },
    {
      name: "operations-use-ports",
      comment: "An operation sees the world through its ports only.",
      severity: "error",
      from: { path: "^src/core/operations/" },
      to: { path: "^src/core/(adapters/|index\\.ts$)" },
    },
    {
      name: "operations-touch-no-node",
      comment: "What an operation needs of the machine is a port.",
      severity: "error",
      from: { path: "^src/core/(operations/|ports/|operation\\.ts$|errors\\.ts$)" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "api-depends-on-nothing",
      comment: "What others may rely on depends on nothing that may change behind it.",
      severity: "error",
      from: { path: "^src/core/api/" },
      to: { path: "^src/core/", pathNot: "^src/core/(api/|errors\\.ts$|facts/schema\\.ts$)" },
    },
    {
      name: "each-library-once",
      comment: "An outside library with effects is wrapped once.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/yaml/" },
      to: { path: "node_modules/yaml/" },
    },
    {
      name: "pm2-in-its-worker",
      comment: "PM2 may end the process that loads it, and hands its environment to what it starts.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/core/adapters/pm2/worker/" },
      to: { path: "node_modules/pm2/" },
    },
    {
      name: "files-in-two-folders",
      comment:
        "What svcm reads may be a pipe, a link, or larger than its memory: the core's adapters know how. The launcher reads its own build; the terminal writes to its descriptors.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(core/adapters/|cli/|commands/terminal/output\\.ts$)" },
      to: { path: "^(node:)?fs(/promises)?$", dependencyTypes: ["core"] },
    },
    {
      name: "no-test-code-in-the-product",
      comment: "What ships does not reach into tests, benches or scripts.",
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
