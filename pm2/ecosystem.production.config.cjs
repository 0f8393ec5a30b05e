/** Production: REST on several cores, gRPC beside it. Secrets come from the machine's environment. */
const { backend, serviceManagement } = require("./backend.cjs");

const common = { prefix: "production", envFile: ".env.production" };

module.exports = {
  apps: [
    backend("restapi", { ...common, instances: 2, env: { NODE_ENV: "production", SVC_HTTP_PORT: "3000" } }),
    backend("grpcapi", {
      ...common,
      env: { NODE_ENV: "production", SVC_HTTP_PORT: "3002", SVC_GRPC_PORT: "50051" },
    }),
    serviceManagement(common),
  ],
};
