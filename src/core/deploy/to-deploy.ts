import type { Deploy } from "../api/deploy.ts";
import type { DeployRecord } from "./record.ts";

export function toDeploy(record: DeployRecord, current: string | null): Deploy {
  const { id, commit, digest, revision, subject, source, environment, by, at, endedAt, state, release, reason } =
    record;
  return {
    id,
    commit,
    ...(digest !== undefined && { digest }),
    revision,
    subject,
    environment,
    state,
    release,
    endedAt,
    from: source,
    source: by.source,
    ...(by.actor !== undefined && { actor: by.actor }),
    startedAt: at,
    ...(reason !== null && { reason }),
    current: id === current,
  };
}
