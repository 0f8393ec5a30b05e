/** A developer's machine: every interface, each in its own process. Both realtime protocols run, so each names its own. */
const { backend, serviceManagement } = require("./backend.cjs");
const ports = require("./ports.json");

const common = { prefix: "dev", envFile: ".env.dev" };

module.exports = {
  apps: [
    backend("restapi", { ...common, env: { SVC_HTTP_PORT: `${ports.restapi}` } }),
    backend("websocketapi", {
      ...common,
      env: { SVC_HTTP_PORT: `${ports.websocketapi}`, SVC_REALTIME_API_PROTOCOL: "websocket" },
    }),
    backend("grpcapi", {
      ...common,
      env: {
        SVC_HTTP_PORT: `${ports.grpcapiHttp}`,
        SVC_GRPC_PORT: `${ports.grpcapi}`,
        SVC_REALTIME_API_PROTOCOL: "grpc",
      },
    }),
    serviceManagement({ ...common, env: { SVC_SERVICE_MANAGEMENT_PORT: `${ports.serviceManagement}` } }),
  ],
};
