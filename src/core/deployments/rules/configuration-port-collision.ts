import { activePorts, isPort } from "../tcp-ports.ts";
import type { Rule } from "../rule.ts";

/** Service configuration (b), second half. */
export const configurationPortCollision: Rule = {
  code: "CONFIG_PORT_COLLISION",
  summary: "Two listeners of one service are given the same port.",
  explanation:
    "Each listener is a process of its own, so that no two ports which the serviceKind binds may be the same.",
  remedy: "Give each listener a port of its own, for example `svcm config set ports.websocket=3001`.",
  check(candidate, vocabulary) {
    const ports = activePorts(candidate, vocabulary).filter(({ value }) => isPort(value));
    return ports.flatMap(({ name, value }, index) => {
      const first = ports.slice(0, index).find((other) => other.value === value);
      return first
        ? [{ field: ["ports", name], message: `ports.${name}: ${value} is the port of ${first.name} already` }]
        : [];
    });
  },
};
