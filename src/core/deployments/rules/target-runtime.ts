import { type Rule, show } from "../rule.ts";
import { textOf } from "../candidate.ts";

export const RUNTIME_EXAMPLES = ["nodejs22.x", "node20", "python3.12"] as const;
export const RUNTIME = /^[A-Za-z][A-Za-z_+#-]*\d(?:[\w.+-]*\w)?$/;

/** Deploy target (e): the runtime is a name and a version. */
export const targetRuntime: Rule = {
  code: "TARGET_RUNTIME_INVALID",
  summary: "The runtime is not a name with a version.",
  explanation:
    "A runtime is a name that starts with a letter, then a version that starts with a digit, without spaces: nodejs22.x, node20, python3.12, bun1.3.13. Free text such as latest is rejected: it says something else tomorrow.",
  remedy: "Write a name with a version, for example `svcm targets edit <name> --runtime node22`.",
  check(candidate) {
    const runtime = textOf(candidate, "runtime");
    if (runtime === "" || RUNTIME.test(runtime)) return [];
    return [
      {
        field: "runtime",
        message: `runtime: ${show(runtime)} is not a name with a version; accepted: for example ${RUNTIME_EXAMPLES.join(", ")}`,
      },
    ];
  },
};
