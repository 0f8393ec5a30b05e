import type { JSX } from "preact";

const paths = {
  activity: "M2 8h3l2-5 3 10 2-5h2",
  sliders: "M2 4h7M13 4h1M2 12h2M8 12h6M2 8h3M9 8h5M9 2.5v3M5 6.5v3M8 10.5v3",
  layers: "M8 2 2 5l6 3 6-3-6-3ZM2 8l6 3 6-3M2 11l6 3 6-3",
  gear: "M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4",
  rocket:
    "M6 10 4 8s1-4 4.500-5.500C10.500 1.500 14 2 14 2s.5 3.500-.5 5.500C12 10.500 8 12 8 12l-2-2ZM4 8H2l1.500-2.500H5M8 12v2l2.500-1.500V11M4.500 11.500l-2 2",
  plug: "M5.500 2v3M10.500 2v3M4 5h8v3a4 4 0 0 1-8 0V5ZM8 12v2.500",
  transfer: "M4.500 13V3M2 5.500 4.500 3 7 5.500M11.500 3v10M9 10.500l2.500 2.500 2.500-2.500",
  history: "M2.500 8A5.500 5.500 0 1 0 4.200 4M2.500 2.500v3h3M8 5v3.500l2.500 1.500",
  keyboard: "M1.500 4h13v8h-13zM4 6.500h.01M6.700 6.500h.01M9.400 6.500h.01M12 6.500h.01M5 9.500h6",
  contrast: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12M8 5h4.800M8 8h6M8 11h4.800",
  sun: "M8 5.200a2.800 2.800 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600ZM8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M3.400 12.600l.9-.9M11.700 4.300l.9-.9",
  moon: "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7Z",
  pause: "M5.500 3v10M10.500 3v10",
  play: "M5 3v10l8-5-8-5Z",
  stop: "M4 4h8v8H4z",
  restart: "M13 8A5 5 0 1 1 11.300 4.300M13 2v3h-3",
  chevron: "M6 3.500 10.500 8 6 12.500",
  search: "M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9ZM10.300 10.300 14 14",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  check: "M3 8.500 6.500 12 13 4.500",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  edit: "M3 13l.8-3L11 2.800 13.200 5 6 12.200 3 13Z",
  trash: "M2.500 4.500h11M6 4.500v-2h4v2M4 4.500 4.600 14h6.800L12 4.500M6.700 7v4.500M9.300 7v4.500",
  download: "M8 2v8M4.500 7 8 10.500 11.500 7M3 13.500h10",
  upload: "M8 10.500v-8M4.500 6 8 2.500 11.500 6M3 13.500h10",
  file: "M4 1.500h5.500l3 3v10H4zM9.500 1.500v3h3",
  refresh:
    "M13.500 7A5.600 5.600 0 0 0 3 5.500M2.500 2.500v3h3M2.500 9A5.600 5.600 0 0 0 13 10.500M13.500 13.500v-3h-3",
  warning: "M8 2.500 1.500 13.500h13L8 2.500ZM8 6.500v3.500M8 11.900h.01",
  error: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3.700M8 11h.01",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 7.300V11M8 5h.01",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  arrow: "M2.500 8h11M9.500 4l4 4-4 4",
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
