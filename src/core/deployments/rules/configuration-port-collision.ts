import { isPort } from "../../words/port.ts";
import { activePorts } from "../tcp-ports.ts";
import type { Rule } from "../rule.ts";

export const configurationPortCollision: Rule = {
  code: "CONFIG_PORT_COLLISION",
  severity: "error",
  summary: "Two listeners of one service have the same port.",
  explanation: "Each listener is a separate process, so every port that the serviceKind binds must be different.",
  remedy: "Give each listener its own port, for example `svcm config set ports.websocket=3001`.",
  check({ entry, vocabulary }) {
    const ports = activePorts(entry, vocabulary).filter(({ value }) => isPort(value));
    return ports.flatMap(({ name, value }, index) => {
      const first = ports.slice(0, index).find((other) => other.value === value);
      return first
        ? [{ path: ["ports", name], message: `ports.${name}: ${value} is the port of ${first.name} already` }]
        : [];
    });
  },
};
