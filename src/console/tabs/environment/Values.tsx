import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { Icon } from "../../ui/Icon.tsx";
import { valueText, type Change } from "./changes.ts";

export function Value({ of, value }: { of: string; value: string }): JSX.Element {
  const spec = useConsole().facts.contract.keys[of];
  const text = valueText(spec, value);
  return value === "" ? <em>{text}</em> : <code>{text}</code>;
}

export function ChangeView({ change: { key, from, to } }: { change: Change }): JSX.Element {
  return (
    <li class="change">
      <code class="change-key">{key}</code>{" "}
      <del>
        <Value of={key} value={from} />
      </del>
      <Icon name="chevron" size={14} />
      <span class="hidden">becomes</span>
      <ins>
        <Value of={key} value={to} />
      </ins>
    </li>
  );
}
