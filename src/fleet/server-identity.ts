import { isIP } from "node:net";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";

/** An IPv6 address has no brackets. */
export function hostOf(url: string): string {
  const { hostname } = new URL(url);
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** TLS compares with this name if the client names no host. */
const UNNAMED = "localhost";

/**
 * The NATS client names no host if its address is an IP address. The certificate must then be that of one of the
 * addresses.
 */
export function identityCheck(servers: readonly string[]): Required<Pick<ConnectionOptions, "checkServerIdentity">> {
  const hosts = servers.flatMap((server) => (URL.canParse(server) ? [hostOf(server)] : []));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return {
    checkServerIdentity: (name, certificate) => {
      const names = name === UNNAMED && !hosts.includes(UNNAMED) && addresses.length > 0 ? addresses : [name];
      const problems = names.map((host) => checkServerIdentity(host, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}
