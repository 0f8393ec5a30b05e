/** The variables that name the address and the token of `svcm serve`, with their defaults. */
export const HOST = "SVC_SERVICE_MANAGEMENT_HOST";
export const PORT = "SVC_SERVICE_MANAGEMENT_PORT";
export const AUTH_TOKEN = "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN";

export const DEFAULT_HOST = "127.0.0.1";
export const DEFAULT_PORT = 3200;
