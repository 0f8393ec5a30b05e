import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { themes, type Theme } from "../state/theme.ts";
import { IconButton } from "../ui/Button.tsx";
import type { IconName } from "../ui/Icon.tsx";

const icons: Readonly<Record<Theme, IconName>> = { system: "contrast", light: "sun", dark: "moon" };

export function TopBar({ onHelp }: { onHelp: () => void }): JSX.Element {
  const { server } = usePage();
  const isOnline = server.isOnline.value;
  return (
    <header class="top">
      <a class="brand" href="#/monitoring">
        <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
          <rect width="24" height="24" rx="5.5" />
          <path d="M4 12.500h3.600l2.300-6 4.200 11 2.300-5H20" />
        </svg>
        <span>
          <strong>svcm</strong> <span class="brand-more">console</span>
        </span>
      </a>
      <span class={`server ${isOnline ? "online" : "offline"}`} role="status">
        <span class="server-word">{isOnline ? "Connected" : "Disconnected"}</span>
      </span>
      <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={onHelp} />
      <ThemeButton />
    </header>
  );
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
