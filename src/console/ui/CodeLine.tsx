import type { JSX } from "preact";
import { Copy } from "./Copy.tsx";

/** A command or path on one line, to be copied. */
export function CodeLine({ text, what }: { text: string; what: string }): JSX.Element {
  return (
    <div class="code-line">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </div>
  );
}
