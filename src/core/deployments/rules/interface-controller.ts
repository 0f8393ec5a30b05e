import { quoteValue } from "../../findings/quote-value.ts";
import { acceptedText } from "../../findings/rule.ts";
import { type Rule } from "../rule.ts";

export const CONTROLLER_EXAMPLE = "ItemController.list";
export const CONTROLLER = /^[A-Z][A-Za-z0-9]*Controller\.[a-z][A-Za-z0-9]*$/;

export const interfaceController: Rule = {
  code: "INTERFACE_CONTROLLER_INVALID",
  severity: "error",
  summary: "A controller mapping is not of the form XController.action.",
  explanation:
    "A controller mapping names a class that ends in Controller and one of its actions: ItemController.list.",
  remedy: "Write the class and the action, for example `ItemController.list`.",
  check({ entry: { controller } }) {
    if (typeof controller === "string" && CONTROLLER.test(controller)) return [];
    const words =
      controller === undefined
        ? " is missing"
        : `: ${quoteValue(controller)} does not have the form XController.action`;
    return [{ path: ["controller"], message: acceptedText(`controller${words}`, `for example ${CONTROLLER_EXAMPLE}`) }];
  },
};
