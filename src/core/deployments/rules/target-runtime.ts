import { quoteValue } from "../../findings/quote.ts";
import { acceptedText } from "../../findings/rule.ts";
import { textField } from "../file.ts";
import { type Rule } from "../rule.ts";

export const RUNTIME_EXAMPLES = ["nodejs22.x", "node20", "python3.12"] as const;
export const RUNTIME = /^[A-Za-z][A-Za-z_+#-]*\d(?:[\w.+-]*\w)?$/;

export const targetRuntime: Rule = {
  code: "TARGET_RUNTIME_INVALID",
  severity: "error",
  check({ entry }) {
    const runtime = textField(entry, "runtime");
    if (runtime === "" || RUNTIME.test(runtime)) return [];
    const what = `runtime: ${quoteValue(runtime)} is not a name with a version`;
    return [{ path: ["runtime"], message: acceptedText(what, `for example ${RUNTIME_EXAMPLES.join(", ")}`) }];
  },
};
