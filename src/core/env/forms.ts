import type { FormKind } from "../facts/schema.ts";
import { isPort, MAX_PORT } from "../words/port.ts";

interface Form {
  readonly accepted: readonly string[];
  matches(value: string): boolean;
}

const UNIT_OF_TIME = "ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|years?";
const DURATION = new RegExp(String.raw`^\d+(?:\.\d+)? ?(?:${UNIT_OF_TIME})?$`, "i");
const SWITCHES = ["true", "false", "yes", "no", "on", "off", "1", "0"];

/** Kinds whose values need no other check. An empty value means that the variable is not set. */
export const forms: Readonly<Record<FormKind, Form>> = {
  boolean: { accepted: SWITCHES, matches: (value) => SWITCHES.includes(value.toLowerCase()) },
  port: {
    accepted: [`a port from 1 to ${MAX_PORT}`],
    matches: (value) => /^[1-9]\d{0,4}$/.test(value) && isPort(Number(value)),
  },
  number: {
    accepted: ["a number, for example 0.5"],
    matches: (value) => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value),
  },
  url: {
    accepted: ["a URL without a password or key, for example https://api.example.com"],
    matches: (value) => /^[a-z][a-z\d+.-]*:\/\/[^\s]+$/i.test(value) && URL.canParse(value),
  },
  duration: { accepted: ["a duration, for example 500ms, 15m or 7 days"], matches: (value) => DURATION.test(value) },
  size: {
    accepted: ["a size, for example 512kb or 10 MiB"],
    matches: (value) => /^\d+(?:\.\d+)? ?(?:[kmgtp]i?b?|b|bytes?)?$/i.test(value),
  },
  email: {
    accepted: ["an email address, for example ops@example.com"],
    matches: (value) => /^(?:[^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value),
  },
  cron: {
    accepted: ["a cron expression of five or six fields, for example 0 3 * * *"],
    matches: (value) => /^(?:@[a-z]+|\S+(?: +\S+){4,5})$/i.test(value),
  },
  json: { accepted: ["JSON"], matches: isJson },
  path: { accepted: ["a path"], matches: () => true },
  list: { accepted: ["a list, for example a,b,c"], matches: () => true },
  text: { accepted: [], matches: () => true },
};

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
