import type { ButtonHTMLAttributes, JSX } from "preact";
import { Icon, type IconName } from "./Icon.tsx";

type Native = Omit<ButtonHTMLAttributes, "class" | "icon" | "size">;

export interface ButtonProps extends Native {
  readonly variant?: "plain" | "primary" | "ghost" | "danger";
  readonly size?: "small" | "normal";
  readonly icon?: IconName;
}

/** A native button; `type="submit"` has to be asked for. */
export function Button({ variant = "plain", size = "normal", icon, children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button type="button" class={`button ${variant} ${size}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<Native, "title" | "aria-label"> {
  readonly icon: IconName;
  /** What it does and to what: its name for everybody. */
  readonly label: string;
  readonly variant?: "ghost" | "plain";
}

/** A button without words has a name all the same. */
export function IconButton({ icon, label, variant = "ghost", ...rest }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class={`button icon-only ${variant}`} aria-label={label} title={label} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
