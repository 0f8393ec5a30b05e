import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText } from "../../findings/rule.ts";
import { type Rule } from "../rule.ts";
import { isPort } from "../../words/port.ts";
import { activePorts } from "../tcp-ports.ts";

export const configurationPorts: Rule = {
  code: "CONFIG_PORT_INVALID",
  severity: "error",
  summary: "A port that the service kind binds is not a port number.",
  explanation:
    "Each port that the serviceKind binds is an integer from 1 to 65535. Ports of listeners that it does not bind are ignored.",
  remedy: "Set the port, for example `svcm config set ports.rest=3000`.",
  check: ({ entry, vocabulary }) =>
    activePorts(entry, vocabulary)
      .filter(({ value }) => !isPort(value))
      .map(({ name, declared }) => ({
        path: ["ports", name],
        message: acceptedText(
          `ports.${name}${declared === undefined ? " is missing" : `: ${quoteValue(declared)} is not a port`}`,
          "an integer from 1 to 65535",
        ),
      })),
};
