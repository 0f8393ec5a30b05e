import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { IconButton } from "./Button.tsx";
import type { IconName } from "./Icon.tsx";

export interface CopyProps {
  readonly text: string;
  /** Names the text, for example `the command`. */
  readonly what: string;
  readonly icon?: IconName;
}

export function Copy({ text, what, icon = "copy" }: CopyProps): JSX.Element {
  const { toasts } = usePage();
  const copy = async (): Promise<void> => {
    if (await copied(text)) toasts.info(`Copied ${what}.`);
    else toasts.error(`The browser does not allow the page to copy ${what}.`);
  };
  return <IconButton icon={icon} label={`Copy ${what}`} onClick={() => void copy()} />;
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard exists only on loopback and https.
    return copiedFromField(text);
  }
}

function copiedFromField(text: string): boolean {
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
