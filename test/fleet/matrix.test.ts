/** The cells of test/server/matrix.test.ts over NATS: each operation that a node answers, with each role and limit. */
import { describe, expect } from "vitest";
import { roles } from "../../src/core/api/rights.ts";
import { remoteOperations, SvcmError } from "../../src/core/index.ts";
import type { Fleet } from "../../src/fleet/fleet.ts";
import { requestKind } from "../../src/fleet/subjects.ts";
import { hasNats } from "../support/nats-server.ts";
import {
  type AnyOperation,
  appOf,
  declared,
  inputFor,
  limits,
  outcome,
  places,
  writeApps,
} from "../support/rights-matrix.ts";
import { longTest } from "../support/runs.ts";
import { testFleet, type TestFleet, type User } from "./support.ts";

const MS = 60_000;
const remote = remoteOperations as unknown as readonly AnyOperation[];
const nameOf = (role: string, limit: string): string => `${role}-${limit.replaceAll(" ", "-")}`;
const users: Readonly<Record<string, User>> = {
  ...Object.fromEntries(
    roles.flatMap((role) =>
      Object.entries(limits).map(([limit, within]) => [nameOf(role, limit), { role, ...within } as User]),
    ),
  ),
  adam: { role: "admin" },
};

/** The account of a user without the right has no way to the node at all. */
async function codeOf(sender: Fleet, operation: AnyOperation, input: object): Promise<string> {
  try {
    await sender.ask("web-1", operation, input as never, MS);
    return "permitted";
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const code = error.body.code ?? error.kind;
    if (code === "NODE_FORBIDDEN") return "RIGHT_MISSING";
    return code === "TOKEN_LIMITED" || requestKind(operation.access) === "write" ? code : "permitted";
  }
}

async function cellsOf(fleet: TestFleet, role: (typeof roles)[number], limit: string) {
  const [cells, expected] = [[] as string[], [] as string[]];
  const sender = await fleet.as(nameOf(role, limit));
  for (const operation of remote)
    for (const place of places) {
      const due = outcome(operation, role, limits[limit], place);
      // A permitted change would happen; the core permits the same.
      if (requestKind(operation.access) === "write" && due === "permitted") continue;
      const cell = `${operation.id} ${appOf(place)}`;
      expected.push(`${cell}: ${due}`);
      cells.push(`${cell}: ${await codeOf(sender, operation, inputFor(operation, place))}`);
    }
  return { cells, expected };
}

describe.skipIf(!hasNats)("over NATS (needs nats-server)", () => {
  /** The core decides the same in every run: see test/server/matrix.test.ts. */
  longTest.each(roles)("the role %s with each limit has the rights of the table", async (role) => {
    const fleet = await testFleet({ users, declared });
    writeApps(fleet.root("web-1"));
    await fleet.start("web-1");
    for (const limit of Object.keys(limits)) {
      const { cells, expected } = await cellsOf(fleet, role, limit);
      expect(cells).toEqual(expected);
    }
  });
});
