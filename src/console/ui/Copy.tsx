import { type JSX, Fragment } from "preact";
import { usePage } from "../console.ts";
import { Button, IconButton } from "./Button.tsx";

export interface CopyProps {
  readonly text: string;
  /** For example `the command`. */
  readonly what: string;
}

export function Copy(text: CopyProps): JSX.Element {
  const copy = useCopy(text);
  return <IconButton icon="copy" label={`Copy ${text.what}`} onClick={copy} />;
}

export function CopyButton({ word, ...text }: CopyProps & { readonly word: string }): JSX.Element {
  const copy = useCopy(text);
  return (
    <Button icon="copy" onClick={copy}>
      {word}
    </Button>
  );
}

function useCopy({ text, what }: CopyProps): () => void {
  const { toasts } = usePage();
  return () =>
    void copyText(text).then((isDone) => {
      if (isDone) toasts.info(`Copied ${what}.`);
      else toasts.error(`The browser does not allow the page to copy ${what}.`);
    });
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API exists only on loopback and HTTPS.
    return copyFromField(text);
  }
}

function copyFromField(text: string): boolean {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "hidden";
  document.body.append(field);
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way there
  const isDone = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}

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

export function FilePath({ path }: { path: string }): JSX.Element {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return (
    <code class="file-path">
      {path.slice(0, at)}
      <strong>{path.slice(at)}</strong>
    </code>
  );
}
