type Env = Readonly<Record<string, string | undefined>>;

/** The address of Redis: `SVC_REDIS_URL`, or the keys for host, port, database and password. */
export function redisUrl(env: Env): string {
  if (env["SVC_REDIS_URL"]) return env["SVC_REDIS_URL"];
  const url = new URL(`redis://${env["SVC_REDIS_HOST"] || "127.0.0.1"}:${env["SVC_REDIS_PORT"] || "6379"}`);
  if (env["SVC_REDIS_DATABASE"]) url.pathname = `/${env["SVC_REDIS_DATABASE"]}`;
  if (env["SVC_REDIS_PASSWORD"]) url.password = env["SVC_REDIS_PASSWORD"];
  return url.href;
}
