/** The tabs of the declarations, loaded together, because they share the rules and the forms. */
import type { EntryList } from "../state/entry-list.ts";
import type { Mark } from "../state/router.ts";
import { interfaceList, Interfaces } from "./interfaces/Interfaces.tsx";
import { configurationForm, Service } from "./service/Service.tsx";
import { targetList, Targets } from "./targets/Targets.tsx";
import type { TabCode } from "./tab-code.ts";
import { Transfer } from "./transfer/Transfer.tsx";

export const service: TabCode = {
  View: Service,
  mark(page) {
    const { storedIssues, isUnsaved } = configurationForm(page);
    return { errors: storedIssues.value.length > 0 ? 1 : 0, isUnsaved: isUnsaved.value };
  },
};
export const targets: TabCode = { View: Targets, mark: (page) => markOf(targetList(page)) };
export const interfaces: TabCode = { View: Interfaces, mark: (page) => markOf(interfaceList(page)) };
export const transfer: TabCode = { View: Transfer };

function markOf({ verdicts, isUnsaved }: EntryList): Mark {
  return { errors: verdicts.value.filter((issues) => issues.length > 0).length, isUnsaved: isUnsaved.value };
}
