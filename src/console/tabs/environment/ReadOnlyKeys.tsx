import type { JSX } from "preact";
import type { EnvReadResponse } from "../../../core/api/bodies.ts";
import { useConsole } from "../../console.ts";
import { Card } from "../../ui/Card.tsx";
import type { KeySpec } from "./changes.ts";

export function ReadOnlyKeys({ read }: { read: EnvReadResponse }): JSX.Element {
  const { keys } = useConsole().facts.contract;
  const readOnly = Object.keys(read.values).flatMap((key): [string, KeySpec][] => {
    const spec = keys[key];
    return spec === undefined || read.editableKeys.includes(key) ? [] : [[key, spec]];
  });
  const reasons = new Set(readOnly.map(([, { reason }]) => reason));
  return (
    <Card title="Read-only keys">
      {[...reasons].map((reason) => (
        <div key={reason} class="read-only">
          <p class="reason">Not written from here: {reason}.</p>
          <dl>
            {readOnly
              .filter(([, spec]) => spec.reason === reason)
              .map(([key, spec]) => (
                <div key={key}>
                  <dt title={spec.help}>
                    {spec.label} <code class="field-name">{key}</code>
                  </dt>
                  <dd>{read.values[key] ? <code>{read.values[key]}</code> : <span class="unset">not set</span>}</dd>
                </div>
              ))}
          </dl>
        </div>
      ))}
    </Card>
  );
}
