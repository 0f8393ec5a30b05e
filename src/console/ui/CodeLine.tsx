import { Fragment, type JSX } from "preact";
import { Copy } from "./Copy.tsx";

/** Breaks only between words, because a `--` at the end of a line reads as another command. */
export function CodeLine({ text, what }: { text: string; what: string }): JSX.Element {
  return (
    <div class="code-line">
      <code>
        {text.split(" ").map((word, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a word is its place
          <Fragment key={at}>
            {at > 0 && " "}
            <span>{word}</span>
          </Fragment>
        ))}
      </code>
      <Copy text={text} what={what} />
    </div>
  );
}
