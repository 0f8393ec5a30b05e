/** Every operation needs a right, and `execute` refuses each caller without it, on every front end. */
import { describe, expect, test } from "vitest";
import { inputs } from "../../../src/core/api/inputs.ts";
import { roles } from "../../../src/core/api/rights.ts";
import * as core from "../../../src/core/index.ts";
import type { Operation, Ports } from "../../../src/core/index.ts";
import { weakestRole } from "../../../src/core/access/rights.ts";

/** Derived from the code, so a new operation is a new row of the snapshot. */
const operations = (Object.values(core) as readonly unknown[])
  .filter(
    (value): value is Operation<unknown, unknown> => typeof value === "object" && value !== null && "run" in value,
  )
  .toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** No role includes it. */
function acceptedFor(access: Operation<unknown, unknown>["access"]): string {
  return access === "propose" ? "a token that an admin created with --propose" : weakestRole(access);
}

const untouchable = new Proxy({} as Ports, {
  get: (_, name) => {
    throw new Error(`a refused operation uses ${String(name)}`);
  },
});

test("the weakest role that may request each operation", async () => {
  const rows = operations.map(({ id, access }) => `${id.padEnd(20)}${access.padEnd(8)}${acceptedFor(access)}`);
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("operations.txt");
});

test("each input belongs to one operation", () => {
  expect(operations.map(({ id }) => id)).toEqual(Object.keys(inputs).toSorted());
});

describe.each(roles)("a token with the role %s", (role) => {
  const caller = { source: "nats", actor: "bot", role, grants: core.rightsOf[role] } as const;
  const refused = operations.filter(({ access }) => !core.isGranted(core.rightsOf[role], access));

  test("is refused every operation above its rights before anything happens, and the accepted role is named", async () => {
    for (const operation of refused) {
      await expect(core.execute(operation, untouchable, {}, caller)).rejects.toMatchObject({
        kind: "FORBIDDEN",
        body: {
          code: "RIGHT_MISSING",
          details: expect.stringContaining(`"bot" has the role ${role}. Accepted: ${acceptedFor(operation.access)}`),
        },
      });
    }
  });

  test("is refused exactly the operations of the roles above it", () => {
    const above = new Set(roles.slice(roles.indexOf(role) + 1));
    expect(refused.map(({ id }) => id)).toEqual(
      operations.filter(({ access }) => access === "propose" || above.has(weakestRole(access))).map(({ id }) => id),
    );
  });
});

test("the refusal of a caller without a token and without a right does not mention roles", async () => {
  const caller = { source: "http", actor: "anonymous", grants: [] } as const;
  for (const operation of operations) {
    await expect(core.execute(operation, untouchable, {}, caller)).rejects.toMatchObject({
      kind: "UNAUTHORIZED",
      body: {},
    });
  }
});
