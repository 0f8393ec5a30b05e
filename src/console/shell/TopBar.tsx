import type { Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { formatLink } from "../state/address.ts";
import { type Theme, themes } from "../state/preferences.ts";
import { IconButton, type IconName } from "../ui/Button.tsx";
import { Copy } from "../ui/Copy.tsx";
import { InlineSelect } from "../ui/Field.tsx";
import { isOffered, tabs } from "../tabs/index.ts";
import { useShownEnvironment } from "./shown-environment.ts";

const icons: Readonly<Record<Theme, IconName>> = { system: "contrast", light: "sun", dark: "moon" };

export type Sheet = "help" | "bar" | undefined;

export function TopBar({ sheet }: { sheet: Signal<Sheet> }): JSX.Element {
  const { server, router } = usePage();
  const isOnline = server.isOnline.value;
  return (
    <header class={`top${useShownEnvironment()?.isProduction ? " production" : ""}`}>
      <a class="brand" href={router.href("monitoring")}>
        <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <rect width="24" height="24" rx="5.5" />
          <path d="M4 12.500h3.600l2.300-6 4.200 11 2.300-5H20" />
        </svg>
        <span>
          <strong>svcm</strong> <span class="brand-more">console</span>
        </span>
      </a>
      <Whose />
      <NodeSwitch />
      <ServiceSwitch />
      <span class={`server ${isOnline ? "online" : "offline"}`} role="status">
        <span class="server-word">{isOnline ? "Connected" : "Disconnected"}</span>
      </span>
      <WhoAmI />
      <CopyLink />
      <IconButton
        icon="search"
        label="Go to an app, a view or a command (Ctrl K)"
        onClick={() => void (sheet.value = "bar")}
      />
      <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => void (sheet.value = "help")} />
      <ThemeButton />
    </header>
  );
}

/** The machine and the environment, because the consoles of several servers look the same. */
function Whose(): JSX.Element | null {
  const page = useContext(ConsoleContext);
  const shown = useShownEnvironment();
  if (page === undefined || shown === undefined) return null;
  const { name, names, select, isFixed = false } = shown;
  // The chosen environment may be empty or have no PM2 profile.
  const options = names.includes(name) ? names : [name, ...names];
  return (
    <span class="whose" title={`${page.facts.host} ${name}`}>
      <bdi>{page.facts.host}</bdi>
      <InlineSelect
        class="environment-choice"
        label="Environment"
        value={name}
        options={options.map((value) => ({ value, label: value || "not chosen" }))}
        isDisabled={isFixed}
        onChange={select}
      />
    </span>
  );
}

function CopyLink(): JSX.Element {
  const { router } = usePage();
  const text = new URL(formatLink(router.link.value), location.href).href;
  return <Copy text={text} what="the link to this view" />;
}

function ThemeButton(): JSX.Element {
  const { appearance } = usePage();
  const theme = appearance.theme.value;
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <IconButton
      icon={icons[theme]}
      label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => appearance.choose(next)}
    />
  );
}

function WhoAmI(): JSX.Element | null {
  const { me } = usePage().identity;
  if (!me.value?.role) return null;
  const { actor, role, environments = [], services = [] } = me.value;
  const limits = [...environments, ...services];
  return (
    <span class="who">
      <bdi>{actor}</bdi> ({[role, ...limits].join(", ")})
    </span>
  );
}

function NodeSwitch(): JSX.Element | null {
  const { router } = usePage();
  const facts = useContext(ConsoleContext)?.facts;
  const { node } = router;
  if (!isOffered("nodes", node, facts)) return null;
  const names = new Set(["", node, ...(facts?.nodes ?? [])]);
  return (
    <InlineSelect
      class="switch"
      label="Node"
      value={node}
      options={[...names].map((value) => ({ value, label: value || "This server" }))}
      // The page loads again for another machine.
      onChange={(name) => (location.hash = formatLink({ tab: router.tab.value, parameters: [["node", name]] }))}
    />
  );
}

function ServiceSwitch(): JSX.Element | null {
  const { service, router } = usePage();
  const names = useContext(ConsoleContext)?.facts.services ?? [];
  if (names.length < 2) return null;
  const chosen = service.value;
  const isOne = tabs[router.tab.value].isOfOneService === true;
  const all = { value: "", label: isOne ? "Choose a service" : "All services" };
  const undeclared = { value: chosen, label: `${chosen} (not declared)` };
  return (
    <InlineSelect
      class="switch"
      label="Service"
      value={chosen}
      options={[
        ...(!isOne || chosen === "" ? [all] : []),
        ...(chosen === "" || names.includes(chosen) ? [] : [undeclared]),
        ...names.map((value) => ({ value })),
      ]}
      onChange={(name) => {
        if (router.mayLeave()) service.value = name;
      }}
    />
  );
}
