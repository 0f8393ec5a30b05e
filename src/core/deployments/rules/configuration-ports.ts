import { activePorts, isPort } from "../tcp-ports.ts";
import { type Rule, show } from "../rule.ts";

/** Service configuration (b), first half. */
export const configurationPorts: Rule = {
  code: "CONFIG_PORT_INVALID",
  summary: "A port that the service kind binds is not a port number.",
  explanation:
    "Each port that the serviceKind binds is an integer from 1 to 65535. Ports of listeners that it does not bind are ignored.",
  remedy: "Set the port, for example `svcm config set ports.rest=3000`.",
  check: (candidate, vocabulary) =>
    activePorts(candidate, vocabulary)
      .filter(({ value }) => !isPort(value))
      .map(({ name, given }) => ({
        field: ["ports", name],
        message: `ports.${name}${given === undefined ? " is missing" : `: ${show(given)} is not a port`}; accepted: an integer from 1 to 65535`,
      })),
};
