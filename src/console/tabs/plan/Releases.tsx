import type { JSX } from "preact";
import type { Release } from "../../../core/api/rollout.ts";
import { formatTime } from "../../data/format.ts";
import { Card } from "../../ui/Card.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { UndoButton } from "./ReleaseCard.tsx";
import { ReleaseSteps } from "./Steps.tsx";
import { useRollout } from "./rollout.ts";

const tones = {
  running: "warning",
  applied: "good",
  unchanged: "",
  refused: "warning",
  reverted: "warning",
  half: "error",
} as const;

export function Releases(): JSX.Element | null {
  const { releases } = useRollout();
  if (releases.value.length === 0) return null;
  return (
    <Card title="Releases" class="releases">
      <ol>
        {releases.value.map((release) => (
          <li key={release.id}>
            <Entry release={release} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Entry({ release }: { release: Release }): JSX.Element {
  const { id, startedAt, environment, outcome, actor, source, git, message, undoes, code } = release;
  return (
    <details>
      <summary>
        <Icon name="chevron" />
        <time dateTime={startedAt}>{formatTime(startedAt)}</time>
        <span>{undoes === undefined ? environment : `${environment}, undoes ${undoes}`}</span>
        <span class={`badge ${tones[outcome]}`}>{outcome}</span>
        <span class="reason">
          {[actor, source, git?.commit.slice(0, 10)].filter(Boolean).join(", ")}
          {message !== undefined && <bdi> “{message}”</bdi>}
        </span>
      </summary>
      <p class="reason">
        Release <code>{id}</code>
        {code !== undefined && (
          <>
            , <code>{code}</code>
          </>
        )}
      </p>
      <ReleaseSteps of={release} />
      <div class="form-actions">
        <UndoButton release={release}>{`Back to before ${id}…`}</UndoButton>
      </div>
    </details>
  );
}
