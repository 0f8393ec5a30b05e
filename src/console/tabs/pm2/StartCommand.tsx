import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { Card } from "../../ui/Card.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { Select } from "../../ui/Select.tsx";
import { inFolder } from "../../../core/words/shell.ts";
import type { Preview } from "./preview.ts";

interface StartCommandProps {
  readonly preview: Preview;
  readonly chosen: EcosystemResponse["preview"];
}

export function StartCommand({ preview, chosen }: StartCommandProps): JSX.Element {
  const { serviceKinds } = useConsole().facts.matrix;
  const configured = preview.configuredKind.value;
  const kind = preview.serviceKind.value;
  const saved = configured && (serviceKinds[configured]?.label ?? configured);
  const other = saved ? `For this preview only: the service configuration says ${saved}.` : "No kind is saved yet.";
  return (
    <Card title="Start by service kind" class="start-command">
      <Select
        label="Service kind"
        value={kind}
        options={Object.entries(serviceKinds).map(([value, { label }]) => ({ value, label }))}
        hint={configured === kind ? "From the service configuration." : other}
        onChange={(next) => preview.choose(next)}
      />
      <div class="start-what">
        {chosen?.command ? (
          <>
            <p>
              Starts{" "}
              {chosen.apps.map((app, at) => (
                <span key={app}>
                  {at > 0 && ", "}
                  <bdi>{app}</bdi>
                </span>
              ))}
              , and nothing else.
            </p>
            <CodeLine text={inFolder(chosen.cwd, chosen.command)} what="the command of the service kind" />
          </>
        ) : (
          <p>
            No app is started for this kind: none has a name that ends in{" "}
            {(serviceKinds[kind]?.appSuffixes ?? []).join(" or ")}.
          </p>
        )}
      </div>
    </Card>
  );
}
