import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { hashOf } from "../state/address.ts";
import { isOffered } from "../tabs/index.ts";

/** Chooses the machine that the page is about, if there is a fleet. */
export function NodeSwitch(): JSX.Element | null {
  const { router } = usePage();
  const facts = useContext(ConsoleContext)?.facts;
  const { node } = router;
  if (!isOffered("nodes", node, facts)) return null;
  const names = new Set([...(node === "" ? [] : [node]), ...(facts?.nodes ?? [])]);
  const choose = (select: HTMLSelectElement): void => {
    location.hash = hashOf({ tab: router.tab.value, parameters: [["node", select.value]] });
    // The page is loaded again for the other machine. Until then, and after a refusal, it is about this one.
    select.value = node;
  };
  return (
    <label class="service">
      <span>Node</span>
      <select value={node} onChange={({ currentTarget }) => choose(currentTarget)}>
        <option value="">This server</option>
        {[...names].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
