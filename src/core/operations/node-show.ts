import type { NodeState } from "../api/node.ts";
import { describeError, SvcmError } from "../errors.ts";
import { defineOperation } from "../operation.ts";
import { listShown, problemFacts } from "../pm2/control/listed.ts";
import { problemOf } from "../pm2/problem.ts";
import type { Ports } from "../ports/index.ts";
import { keptReleases } from "../rollout/kept-releases.ts";

/** The state of this machine in a few numbers. A PM2 that cannot be read is a part of the answer. */
export const nodeShow = defineOperation({
  id: "node.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports): Promise<NodeState> {
    const [release] = await keptReleases(ports.releases);
    return {
      processes: await countsOf(ports),
      release: release
        ? {
            id: release.id,
            environment: release.environment,
            outcome: release.outcome,
            commit: release.git?.commit ?? null,
            endedAt: release.endedAt,
          }
        : null,
    };
  },
});

async function countsOf(ports: Ports): Promise<NodeState["processes"]> {
  try {
    const list = await listShown(ports);
    const facts = problemFacts(ports, list);
    const of = (status: string): number => list.filter((record) => record.status === status).length;
    const troubled = list.filter((record) => problemOf(record, facts) !== null).length;
    return { total: list.length, online: of("online"), stopped: of("stopped"), errored: of("errored"), troubled };
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const { body } = describeError(error);
    return { error: body.details ?? body.error, ...(body.code !== undefined && { code: body.code }) };
  }
}
