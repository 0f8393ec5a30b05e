import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { MISSING } from "../../../core/alerts/muted.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { FormDialog } from "../../ui/Dialog.tsx";
import { Select, TextField, bound } from "../../ui/Field.tsx";
import type { Monitor } from "./monitor.ts";

const ENDS = ["1h", "8h", "1d", "monday"].map((value) => ({ value }));

interface MarkActionsProps {
  readonly subjects: readonly string[];
  /** The troubles that a mute would be of. */
  readonly kinds: readonly string[];
  readonly monitor: Monitor;
}

type Verb = "Mute" | "Note";

/** The notes, and the buttons that mute the apps or leave a note. */
export function MarkActions({ subjects, kinds, monitor }: MarkActionsProps): JSX.Element | null {
  const { identity } = useConsole();
  const verb = useSignal<Verb | undefined>(undefined);
  const reason = identity.reasonAgainst("act");
  const notes = monitor.marks.list.value.flatMap(({ subject, note }) =>
    note !== undefined && subjects.includes(subject) ? [{ subject, ...note }] : [],
  );
  if (!monitor.marks.isHere) return null;
  const verbs: readonly Verb[] = kinds.length > 0 ? ["Mute", "Note"] : ["Note"];
  const close = (): void => void (verb.value = undefined);
  return (
    <>
      {verbs.map((one) => (
        <Button key={one} size="small" reason={reason} onClick={() => void (verb.value = one)}>
          {one === "Mute" ? "Mute…" : "Note…"}
        </Button>
      ))}
      {verb.value && (
        <MarkDialog
          verb={verb.value}
          first={verb.value === "Note" ? (notes[0]?.text ?? "") : ""}
          onClose={close}
          {...{ subjects, kinds, monitor }}
        />
      )}
      {notes.map(({ subject, by, at, text }) => (
        <p key={subject} class="note">
          {subjects.length > 1 && `${subject}: `}
          <bdi>{by}</bdi>, {formatTime(at)}: <bdi>{text}</bdi>
        </p>
      ))}
    </>
  );
}

interface MarkDialogProps extends MarkActionsProps {
  readonly verb: Verb;
  readonly first: string;
  readonly onClose: () => void;
}

function MarkDialog({ verb, first, subjects, kinds, monitor: { marks }, onClose }: MarkDialogProps): JSX.Element {
  const { toasts } = useConsole();
  const until = useSignal("8h");
  const text = useSignal(first);
  const submit = async (): Promise<void> => {
    onClose();
    const words = text.value.trim();
    const mute = { kinds, until: until.value, ...(words !== "" && { reason: words }) };
    // One after another, because all of them change the same file.
    for (const subject of subjects)
      await (verb === "Note" ? marks.note({ subject, text: words }) : marks.mute({ subject, ...mute })).catch(
        (error: unknown) => toasts.error(error, `mark ${subject}`),
      );
  };
  return (
    <FormDialog title={`${verb} ${subjects.join(", ")}`} verb={verb} onClose={onClose} onSubmit={() => void submit()}>
      {verb === "Mute" && (
        <>
          <p>Mutes: {kinds.map(kindText).join(", ")}. A new kind of trouble is not muted.</p>
          <Select label="Until" options={ENDS} {...bound(until)} />
        </>
      )}
      <TextField label={verb === "Mute" ? "Reason" : "Note"} {...bound(text)} />
    </FormDialog>
  );
}

/** `PROCESS_CRASH_LOOP` is a crash loop. */
function kindText(kind: string): string {
  return kind === MISSING
    ? "not known to PM2"
    : kind
        .replace(/^(?:PROCESS|JOB)_/, "")
        .replaceAll("_", " ")
        .toLowerCase();
}

/** Muted troubles are counted and named, so that nothing is silently gone. */
export function Muted({ monitor: { marks } }: Pick<MarkActionsProps, "monitor">): JSX.Element | null {
  const { identity, toasts } = useConsole();
  const muted = marks.list.value.flatMap(({ subject, mute }) => (mute === undefined ? [] : [{ subject, ...mute }]));
  if (muted.length === 0) return null;
  return (
    <details class="muted">
      <summary>{muted.length} muted</summary>
      <ul>
        {muted.map(({ subject, kinds, until, by, reason }) => (
          <li key={subject}>
            <strong>
              <bdi>{subject}</bdi>
            </strong>
            , {kinds.map(kindText).join(", ")}, until {formatTime(until)}, by <bdi>{by}</bdi>
            {reason && (
              <>
                : <bdi>{reason}</bdi>
              </>
            )}{" "}
            <Button
              size="small"
              reason={identity.reasonAgainst("act")}
              onClick={() => void marks.mute({ subject }).catch((error: unknown) => toasts.error(error))}
            >
              End the mute
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
