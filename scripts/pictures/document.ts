export const document = {
  version: "service-management.v1",
  runtimeEnvironment: "dev",
  serviceConfiguration: {
    serviceKind: "websocket-rest-api",
    runMode: "virtual-machine",
    cloudProvider: "aws",
    ports: { rest: 3000, websocket: 3001 },
  },
  interfaces: [
    adapter("http-rest", "express", "HTTP/start-rest-api", "ItemController.list"),
    adapter("websocket", "socket-io", "WebSocket/start-websocket-api", "ItemController.watch"),
    adapter("grpc", "grpc", "gRPC/start-grpc-api", "ItemController.read"),
  ],
  deployments: [
    target({ name: "production-eu", region: "eu-central-1", deployTarget: "ec2", pm2Profile: "production" }),
    target({ name: "staging-eu", region: "stage-1.example.test", deployTarget: "vm", pm2Profile: "staging" }),
    target({ name: "webhooks", region: "us-east-1", deployTarget: "lambda", serviceType: "functions" }),
    target({ name: "edge", region: "global", deployTarget: "cloudflare-workers", runtime: "latest" }),
  ],
};

function adapter(type: string, framework: string, path: string, controller: string) {
  return { type, framework, entrypoint: `src/interface/${path}.ts`, controller };
}

function target(differing: Readonly<Record<string, string>>) {
  const drivers = { databaseDriver: "PostgreSQL", keyValueDriver: "redis" };
  return { runtime: "nodejs22.x", serviceType: "restapi", runtimeProtocol: "http", ...drivers, ...differing };
}
