import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { ProcessMetrics } from "../../client/index.ts";
import { ConsoleContext, type Console, usePage } from "../console.ts";
import { tabIds } from "../state/address.ts";
import { isOffered, tabs } from "../tabs/index.ts";
import { monitorOf } from "../tabs/monitoring/monitor.ts";
import { keyOf } from "../tabs/monitoring/rows.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { useRequest } from "../ui/use-request.ts";

const MAX_SHOWN = 12;
const UNREAD = "Nothing has this name. The apps cannot be read.";

interface Command {
  readonly label: string;
  readonly run: () => void;
}

const goTo = (hash: string) => (): void => void (location.hash = hash);

type Named = Pick<ProcessMetrics, "name" | "pmId">;

/** Only a view with samples knows the present apps. Elsewhere they are read, because the last sample may be old. */
function useCommands() {
  const page = usePage();
  const open = useContext(ConsoleContext);
  const feed = open && monitorOf(open).feed;
  const present = feed?.state.peek() === "live" ? feed.newest.peek()?.metrics : undefined;
  const ask = feed && !present ? (stop: AbortSignal) => open.api.metrics(feed.environment.peek(), stop) : undefined;
  const { answer = present, problem } = useRequest(ask, []);
  const commands = useMemo(() => listCommands(answer?.processes ?? [], page, open), [answer]);
  if (answer) return { commands, none: "Nothing has this name." };
  return { commands, none: feed && !problem ? "Reading the apps…" : UNREAD };
}

/** Views, apps and their logs, and what the single keys do. */
function listCommands(
  processes: readonly Named[],
  { router, shortcuts }: ReturnType<typeof usePage>,
  open: Console | undefined,
): Command[] {
  const apps = [...new Map(processes.map((one) => [one.name, one])).values()].flatMap((process): Command[] => {
    const { name } = process;
    const details = router.href("monitoring", ["process", keyOf(process)]);
    return [
      { label: `${name}: details`, run: goTo(details) },
      { label: `${name}: log`, run: goTo(router.href("logs", ["apps", name])) },
    ];
  });
  const offered = tabIds.filter((id) => isOffered(id, router.node, open?.facts));
  const views = offered.map((id) => ({ label: `Open ${tabs[id].label}`, run: () => void router.go(id) }));
  const keys = shortcuts.list.peek().filter(({ label }) => views.every((view) => view.label !== label));
  return [...views, ...apps, ...keys];
}

function run(command: Command | undefined): void {
  if (command === undefined) return;
  // The focus returns first, because some commands are of the row that has it.
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  command.run();
}

export function CommandBar({ onClose }: { onClose: () => void }): JSX.Element {
  const { commands, none } = useCommands();
  const text = useSignal("");
  const at = useSignal(0);
  const words = text.value.toLowerCase().split(/\s+/);
  const found = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const shown = found.slice(0, MAX_SHOWN);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: shown.length - 1 }[event.key];
    if (step === undefined || shown.length === 0) return;
    event.preventDefault();
    at.value = (at.value + step) % shown.length;
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        class="command-bar"
        onSubmit={(event) => {
          event.preventDefault();
          run(shown[at.value]);
        }}
      >
        <input
          type="search"
          {...({ role: "combobox" } as object)}
          aria-label="An app, a view or a command"
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={`command-${at.value}`}
          autocomplete="off"
          value={text.value}
          onKeyDown={onKey}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
            at.value = 0;
          }}
        />
        <Options commands={shown} at={at.value} />
        {shown.length === 0 && <p>{none}</p>}
        {found.length > MAX_SHOWN && <p class="reason">And {found.length - MAX_SHOWN} more.</p>}
      </form>
    </Dialog>
  );
}

interface OptionsProps {
  readonly commands: readonly Command[];
  readonly at: number;
}

function Options({ commands, at }: OptionsProps): JSX.Element {
  return (
    <ul id="commands" role="listbox" aria-label="Commands">
      {commands.map((command, place) => (
        <li
          key={command.label}
          id={`command-${place}`}
          role="option"
          aria-selected={place === at}
          onClick={() => run(command)}
        >
          <bdi>{command.label}</bdi>
        </li>
      ))}
    </ul>
  );
}
