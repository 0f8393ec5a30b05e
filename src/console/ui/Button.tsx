import type { ButtonHTMLAttributes, JSX } from "preact";

type Native = Omit<ButtonHTMLAttributes, "class" | "icon" | "size">;

export interface ButtonProps extends Native {
  readonly variant?: "plain" | "primary" | "danger";
  readonly size?: "small" | "normal";
  readonly icon?: IconName;
  readonly reason?: Reason;
}

type Reason = string | undefined;

export function Button(props: ButtonProps): JSX.Element {
  const { variant = "plain", size = "normal", icon, reason, children, ...rest } = props;
  return (
    <button type="button" class={`button ${variant} ${size}`} {...rest} {...disabledFor(reason)}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<Native, "title" | "aria-label"> {
  readonly icon: IconName;
  readonly label: string;
  readonly variant?: "ghost" | "plain";
  readonly reason?: Reason;
  readonly isBusy?: boolean;
}

export function IconButton(props: IconButtonProps): JSX.Element {
  const { icon, label, variant = "ghost", reason, isBusy = false, ...rest } = props;
  const title = reason === undefined ? label : `${label}: ${reason}`;
  return (
    <button
      type="button"
      class={`button icon-only ${variant}`}
      aria-label={label}
      {...rest}
      {...disabledFor(reason)}
      title={title}
    >
      {isBusy ? <span aria-hidden="true">…</span> : <Icon name={icon} />}
    </button>
  );
}

function disabledFor(reason: Reason): object {
  return reason === undefined ? {} : { title: reason, "aria-description": reason, disabled: true };
}

const CIRCLE = "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2Z";
const RAYS =
  "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4";

const paths = {
  activity: "M2 8h3l2-5 3 10 2-5h2",
  sliders: "M2 4h7M13 4h1M2 12h2M8 12h6M2 8h3M9 8h5M9 2.5v3M5 6.5v3M8 10.5v3",
  plan: "M3 3.5 4 4.5 6 2.5M8.5 3.5H14M3 8l1 1 2-2M8.5 8H14M3 12.5l1 1 2-2M8.5 12.5H14",
  layers: "M8 2 2 5l6 3 6-3-6-3ZM2 8l6 3 6-3M2 11l6 3 6-3",
  gear: RAYS,
  target: `${CIRCLE}M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z`,
  nodes: "M2 2.5h12v4H2zM2 9.5h12v4H2zM4.5 4.5h.01M4.5 11.5h.01",
  plug: "M5.5 2v3M10.5 2v3M4 5h8v3a4 4 0 0 1-8 0V5ZM8 12v2.5",
  transfer: "M4.5 13V3M2 5.5 4.5 3 7 5.5M11.5 3v10M9 10.5l2.5 2.5 2.5-2.5",
  history: "M2.5 8A5.5 5.5 0 1 0 4.2 4M2.5 2.5v3h3M8 5v3.5l2.5 1.5",
  keyboard: "M1.5 4h13v8h-13zM4 6.5h.01M6.7 6.5h.01M9.4 6.5h.01M12 6.5h.01M5 9.5h6",
  contrast: `${CIRCLE}M8 2v12M8 5h4.8M8 8h6M8 11h4.8`,
  sun: RAYS,
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M5 3v10l8-5-8-5Z",
  stop: "M4 4h8v8H4z",
  undo: "M3 8a5 5 0 1 0 1.7-3.7M3 2v3h3",
  minus: "M3 8h10",
  restart: "M13 8A5 5 0 1 1 11.3 4.3M13 2v3h-3",
  chevron: "M6 3.5 10.5 8 6 12.5",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.3 10.3 14 14",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  check: "M3 8.5 6.5 12 13 4.5",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  trash: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5 4.6 14h6.8L12 4.5M6.7 7v4.5M9.3 7v4.5",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
  upload: "M8 10.5v-8M4.5 6 8 2.5 11.5 6M3 13.5h10",
  file: "M4 1.5h5.5l3 3v10H4zM9.5 1.5v3h3",
  warning: "M8 2.5 1.5 13.5h13L8 2.5ZM8 6.5v3.5M8 11.9h.01",
  error: `${CIRCLE}M8 5v3.7M8 11h.01`,
  info: `${CIRCLE}M8 7.3V11M8 5h.01`,
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3L4 11ZM7 14.5h2",
} as const;

export type IconName = keyof typeof paths;

const FILLED = new Set<IconName>(["play", "stop"]);

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class={`icon${FILLED.has(name) ? " filled" : ""}`}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
