import { execute, nodePorts, tokenCreate } from "../../src/core/index.ts";
import type { InputOf } from "../../src/core/api/inputs.ts";
import { type Role, rights } from "../../src/core/api/rights.ts";

/** Creates a token of a repository, as `svcm token create` does. Resolves with its text. */
export async function createToken(
  root: string,
  name: string,
  role: Role,
  more: Partial<InputOf<"token.create">> = {},
): Promise<string> {
  const ports = nodePorts({ root, env: { PM2_HOME: `${root}/.pm2` }, cwd: root });
  const caller = { source: "cli", actor: "ann", grants: rights } as const;
  return (await execute(tokenCreate, ports, { name, role, ...more }, caller)).token;
}

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** From `!` to `~`: each character that a token may have beside an inner blank. */
export const VISIBLE_ASCII = Array.from({ length: 94 }, (_, at) => String.fromCodePoint(33 + at)).join("");
