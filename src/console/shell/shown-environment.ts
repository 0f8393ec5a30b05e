import { useContext } from "preact/hooks";
import { isProductionName } from "../../core/words/production.ts";
import { ConsoleContext, usePage } from "../console.ts";
import { useCodes } from "../tabs/codes.ts";
import { monitorOf } from "../tabs/monitoring/monitor.ts";

/** The environment that the open view shows or writes, and whether it or the server is production. */
export function useShownEnvironment(): { readonly name: string; readonly isProduction: boolean } {
  const page = useContext(ConsoleContext);
  const tab = usePage().router.tab.value;
  const code = useCodes().of(tab);
  if (page === undefined) return { name: "", isProduction: false };
  const monitor = monitorOf(page);
  const name = code?.environment?.(page) ?? monitor.feed.environment.value;
  return { name, isProduction: isProductionName(name) || monitor.isProduction.value };
}
