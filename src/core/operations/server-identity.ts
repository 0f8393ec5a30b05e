import type { Ports } from "../ports/index.ts";

const PURPOSE = "svcm server identity";
const LENGTH = 22;

/**
 * Identifies a server across restarts, ports and addresses: the same machine and repository root give the same text.
 * Base64url; neither the machine nor the root can be read from it.
 */
export async function serverIdentity({ host, workspace }: Ports): Promise<string> {
  const subject = [PURPOSE, await host.machineId(), workspace.root].join("\0");
  return host.digest(new TextEncoder().encode(subject)).slice(0, LENGTH);
}
