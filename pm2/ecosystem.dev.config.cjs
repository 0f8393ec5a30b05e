/** A developer's machine: every interface, each in its own process. Both realtime protocols run, so each names its own. */
const { backend, serviceManagement } = require("./backend.cjs");

const common = { prefix: "dev", envFile: ".env.dev" };

module.exports = {
  apps: [
    backend("restapi", { ...common, env: { SVC_HTTP_PORT: "3000" } }),
    backend("websocketapi", { ...common, env: { SVC_HTTP_PORT: "3001", SVC_REALTIME_API_PROTOCOL: "websocket" } }),
    backend("grpcapi", {
      ...common,
      env: { SVC_HTTP_PORT: "3002", SVC_GRPC_PORT: "50051", SVC_REALTIME_API_PROTOCOL: "grpc" },
    }),
    serviceManagement(common),
  ],
};
