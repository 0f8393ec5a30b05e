/** @see CONTRACT section 4 */
export const SOCKET_PATH = "/api/runtime/pm2-ws";
/** The subprotocol that carries a token begins with it, too. */
export const SUBPROTOCOL = "svcm.v1";
export const TOKEN_SUBPROTOCOL = "svcm.bearer.";

/** Between two samples, in milliseconds. @see the specification, "Limits" */
export const interval = { min: 500, max: 2000, default: 1000 } as const;
