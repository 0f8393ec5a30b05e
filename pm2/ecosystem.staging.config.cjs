/** Staging: WebSocket and REST over several hosts, with connected drivers. */
const { backend, serviceManagement } = require("./backend.cjs");

const common = { prefix: "staging", envFile: ".env.staging" };

module.exports = {
  apps: [
    backend("restapi", { ...common, env: { SVC_HTTP_PORT: "3000" } }),
    backend("websocketapi", { ...common, env: { SVC_HTTP_PORT: "3001" } }),
    serviceManagement(common),
  ],
};
