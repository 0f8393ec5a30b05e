import type { HasTokens, Audited } from "../../access/ports.ts";
import type { HasFacts } from "../../project/port-repository.ts";
import type { CreatedToken } from "../../api/identity.ts";
import { tokenNames } from "../../api/rights.ts";
import { withAudit } from "../../access/with-audit.ts";
import { SvcmError } from "../../api/errors.ts";
import { addToken, type StoredToken } from "../../access/tokens.ts";
import { defineOperation } from "../../access/operation.ts";

import { chooseService, ecosystemSpellings, resolveEnvironment } from "../../project/resolve.ts";

export type { CreatedToken } from "../../api/identity.ts";

/** Names of actors without a token. */
const RESERVED: ReadonlySet<string> = new Set(["token", "anonymous"]);

/**
 * Adds a token. Only the response contains the token itself; svcm stores a digest.
 * @throws {SvcmError} TOKEN_EXISTS, TOKENS_FAILED, INVALID_ENVIRONMENT, INVALID_REQUEST for a service or a reserved
 * name
 * @see CONTRACT section 10
 */
export const tokenCreate = defineOperation({
  id: "token.create",
  access: "admin",
  refusal: "INVALID_REQUEST",
  async run(
    ports: Audited & HasFacts & HasTokens,
    { name, role, environments, services, propose, expiresInMs },
    caller,
  ): Promise<CreatedToken> {
    const { clock, host, tokens } = ports;
    return await withAudit(ports, caller, { action: "token.create", target: name }, async ({ begin }) => {
      requireName(name);
      const now = clock.now();
      const metadata = {
        name,
        role,
        ...(propose === true && { propose }),
        ...(environments && { environments: await canonicalNames(ports, environments) }),
        ...(services && { services: await requireServices(ports, services) }),
        createdAt: new Date(now).toISOString(),
        ...(expiresInMs !== undefined && { expiresAt: new Date(now + expiresInMs).toISOString() }),
      };
      const token = tokens.createSecret();
      const stored: StoredToken = { ...metadata, digest: host.digest(new TextEncoder().encode(token)) };
      await tokens.update((all) => addToken(all, stored), begin);
      return { ...metadata, token };
    });
  },
});

/** @throws {SvcmError} INVALID_REQUEST */
function requireName(name: string): void {
  const quoted = JSON.stringify(name.slice(0, 80));
  const problem = RESERVED.has(name)
    ? `${quoted} is the actor of other requests. Accepted: another name.`
    : `${quoted} is not a name. Accepted: at most 64 letters, digits, - and _, with a letter or a digit first.`;
  if (RESERVED.has(name) || !tokenNames.test(name)) throw new SvcmError("INVALID_REQUEST", { details: problem });
}

async function canonicalNames({ facts }: HasFacts, environments: readonly string[]): Promise<string[]> {
  const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
  const spellings = ecosystemSpellings(contract, matrix);
  return [...new Set(environments.map((one) => resolveEnvironment(spellings, contract, one).name))];
}

async function requireServices({ facts }: HasFacts, services: readonly string[]): Promise<string[]> {
  const project = await facts.project();
  for (const one of services) chooseService(project, one);
  return [...new Set(services)];
}
