import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasHost } from "../files/ports.ts";

const PURPOSE = "svcm server identity";
const LENGTH = 22;

/**
 * Stays the same for one machine and root, across restarts, ports and addresses. The text reveals neither the machine
 * nor the root.
 */
export async function serverIdentity({ host, workspace }: HasHost & HasWorkspace): Promise<string> {
  const subject = [PURPOSE, await host.machineId(), workspace.root].join("\0");
  return host.digest(new TextEncoder().encode(subject)).slice(0, LENGTH);
}
