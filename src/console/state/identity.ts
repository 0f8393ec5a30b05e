import { signal } from "@preact/signals";
import type { Right } from "../../core/api/rights.ts";
import type { Api } from "../data/api.ts";

export type Identity = ReturnType<typeof createIdentity>;

/** The owner of this tab's token, and what the token permits. */
export function createIdentity(api: () => Pick<Api, "me">) {
  const me = signal<Awaited<ReturnType<Api["me"]>>>();
  return {
    me,
    async look(): Promise<void> {
      me.value = await api()
        .me()
        .catch(() => undefined);
    },
    /** The reason why the page does not offer what needs the right. Without a token, the server asks for one. */
    reasonAgainst(right: Right): string | undefined {
      const { role, rights, actor } = me.value ?? {};
      if (!role || rights?.includes(right) !== false) return undefined;
      return `The token ${actor} has the role ${role}, which does not permit it.`;
    },
  };
}
