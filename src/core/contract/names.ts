/** The official process entrypoints of a backend. `websocket` and `grpc` serve REST beside. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

/** The documents that people write and `svcm schema` describes. */
export const documentNames = ["runtime-contract", "capability-matrix"] as const;
