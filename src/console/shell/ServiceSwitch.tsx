import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { tabs } from "../tabs/index.ts";

/** Chooses the service that the page is about, where the repository has several. */
export function ServiceSwitch(): JSX.Element | null {
  const { service, router } = usePage();
  const names = useContext(ConsoleContext)?.facts.services ?? [];
  if (names.length < 2) return null;
  const chosen = service.value;
  const isOne = tabs[router.tab.value].isOfOneService === true;
  const all = isOne ? "Choose a service" : "All services";
  const choose = (select: HTMLSelectElement): void => {
    if (router.mayLeave()) service.value = select.value;
    // A refused choice leaves the browser's own state changed.
    else select.value = chosen;
  };
  return (
    <label class="service">
      <span>Service</span>
      <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget)}>
        {(!isOne || chosen === "") && <option value="">{all}</option>}
        {chosen !== "" && !names.includes(chosen) && <option value={chosen}>{chosen} (not declared)</option>}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
