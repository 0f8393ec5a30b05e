import type { JSX } from "preact";
import type { ProcessMetrics } from "../../../client/index.ts";
import { ProblemText } from "../../ui/Problem.tsx";
import { toText } from "../../state/form.ts";
import { DescriptionList } from "../../ui/DescriptionList.tsx";

type Context = NonNullable<ProcessMetrics["asyncContext"]>;

/** The service has redacted the stores. */
export function AsyncContext({ context }: { context: Context }): JSX.Element {
  if (isFailure(context)) {
    const { error, code, status } = context;
    return <ProblemText problem={{ error, code: status === undefined ? code : `${code} (${status})` }} />;
  }
  const { recentStores, ...counters } = context;
  return (
    <>
      <DescriptionList items={Object.entries(counters).map(([name, value]) => [name, toText(value)])} />
      {recentStores.map((store, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- stores have no name, the newest is the first
        <details key={at} class="store">
          <summary>Store {at + 1}</summary>
          <DescriptionList items={Object.entries(store).map(([name, value]) => [name, toText(value)])} />
        </details>
      ))}
    </>
  );
}

function isFailure(context: Context): context is Extract<Context, { error: string }> {
  return typeof context["error"] === "string";
}
