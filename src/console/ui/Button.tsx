import type { ButtonHTMLAttributes, JSX } from "preact";
import type { Signal } from "@preact/signals";
import { Icon, type IconName } from "./Icon.tsx";

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

interface ToggleButtonProps {
  readonly isOpen: Signal<boolean>;
  readonly reason?: Reason;
  readonly children: string;
}

export function ToggleButton({ isOpen, reason, children }: ToggleButtonProps): JSX.Element {
  return (
    <Button
      size="small"
      reason={reason}
      aria-expanded={isOpen.value}
      onClick={() => void (isOpen.value = !isOpen.value)}
    >
      {children}
    </Button>
  );
}

function disabledFor(reason: Reason): object {
  return reason === undefined ? {} : { title: reason, "aria-description": reason, disabled: true };
}
