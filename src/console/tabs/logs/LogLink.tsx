import type { JSX } from "preact";
import { usePage } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";

interface LogLinkProps {
  readonly app: string;
  /** The moment of an event; by default the newest lines. */
  readonly at?: string;
  readonly children: string;
}

export function LogLink({ app, at, children }: LogLinkProps): JSX.Element {
  const { router, identity } = usePage();
  const reason = identity.reasonAgainst("logs");
  if (reason !== undefined)
    return (
      <Button size="small" reason={reason}>
        {children}
      </Button>
    );
  const parameters = [["apps", app] as const, ...(at === undefined ? [] : [["at", at] as const])];
  return (
    <a class="button plain small" href={router.href("logs", ...parameters)}>
      {children}
    </a>
  );
}
