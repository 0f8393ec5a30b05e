/**
 * The names and bounds of the WebSocket channel, without a schema.
 *
 * @see CONTRACT section 4
 */
export const SOCKET_PATH = "/api/runtime/pm2-ws";
/** The subprotocol of the server, and the prefix of the one that carries a token. */
export const SUBPROTOCOL = "svcm.v1";
export const TOKEN_SUBPROTOCOL = "svcm.bearer.";

/** The interval between two samples, in milliseconds. @see the specification, "Limits" */
export const interval = { min: 500, max: 2000, default: 1000 } as const;
