import { randomUUID } from "node:crypto";
import type { StartupPlan } from "svcm/startup";
import { openAuthentication, type Authentication } from "./auth/authentication.ts";
import { ContextRegistry } from "./context/registry.ts";
import { openCounters, type Counters } from "./counters/counters.ts";
import type { Item, ItemStore } from "./items/item-store.ts";
import { openItems } from "./items/open-items.ts";
import { openMediator, type Mediator } from "./mediator/mediator.ts";
import { allowedOrigins, type AllowedOrigins } from "./process/allowed-origins.ts";

/** The parts that every interface of this backend uses, as the startup plan selects them. */
export interface Backend {
  readonly plan: StartupPlan;
  readonly contexts: ContextRegistry;
  readonly items: ItemStore;
  readonly counters: Counters;
  readonly mediator: Mediator;
  readonly allowedOrigins: AllowedOrigins;
  /** Absent unless `SVC_ENABLE_BASIC_AUTH` is `yes`; every request is permitted then. */
  readonly authentication?: Authentication;
  addItem(name: string): Promise<Item>;
  /** @returns true if the item existed */
  removeItem(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A single topic for every {@link ItemChange}, so that a removal cannot overtake its item. */
export const ITEMS_CHANGED = "items-changed";

export type ItemChange = { readonly created: Item } | { readonly removed: string };

/**
 * Opens everything that the plan selects, or nothing.
 *
 * @throws {Error} if a part cannot be opened, with its setting and the reason.
 */
export async function openBackend(
  plan: StartupPlan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Backend> {
  const origins = allowedOrigins(env);
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    // If one part cannot be closed, the others still are.
    for (const part of opened.toReversed()) await part.close().catch((error: unknown) => console.error(error));
  };
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const part = await opening;
    opened.push(part);
    return part;
  };
  try {
    const items = await open(openItems(plan.databaseDriver, env));
    const counters = await open(openCounters(plan.keyValueDriver, env));
    const mediator = await open(openMediator(plan.messageMediator, env));
    const authentication = await openAuthentication(plan.keyValueDriver, env);
    if (authentication) opened.push(authentication);
    const announce = (change: ItemChange): Promise<void> => mediator.publish(ITEMS_CHANGED, change);
    return {
      plan,
      contexts: new ContextRegistry(),
      items,
      counters,
      mediator,
      allowedOrigins: origins,
      ...(authentication && { authentication }),
      async addItem(name) {
        const item = { id: randomUUID(), name };
        await items.put(item);
        await counters.increment("items-created");
        await announce({ created: item });
        return item;
      },
      async removeItem(id) {
        const existed = await items.remove(id);
        if (existed) await announce({ removed: id });
        return existed;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
