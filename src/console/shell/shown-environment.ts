import { useContext } from "preact/hooks";
import { isProductionName } from "../../core/words/production.ts";
import { ConsoleContext, usePage } from "../console.ts";
import { useCodes } from "../tabs/index.ts";
import { monitorOf } from "../tabs/monitoring/monitor.ts";
import type { EnvironmentChoice } from "../tabs/tab-code.ts";

interface Shown extends EnvironmentChoice {
  readonly isProduction: boolean;
}

/** The environment that the open view shows or writes, and whether it or the server is production. */
export function useShownEnvironment(): Shown | undefined {
  const page = useContext(ConsoleContext);
  const tab = usePage().router.tab.value;
  const code = useCodes().of(tab);
  if (page === undefined) return undefined;
  const { isProduction, choice } = monitorOf(page);
  const shown = code?.environment?.(page) ?? choice.value;
  return { ...shown, isProduction: isProductionName(shown.name) || isProduction.value };
}
