import type { StartupPlan } from "svcm/startup";
import { ContextRegistry } from "./context/registry.ts";
import { openCounters, type Counters } from "./counters/counters.ts";
import type { Item, ItemStore } from "./items/item-store.ts";
import { openItems } from "./items/open-items.ts";
import { openMediator, type Mediator } from "./mediator/mediator.ts";

/** Everything that an interface of this backend stands on, opened by the startup plan. */
export interface Backend {
  readonly plan: StartupPlan;
  readonly contexts: ContextRegistry;
  readonly items: ItemStore;
  readonly counters: Counters;
  readonly mediator: Mediator;
  /** Adds an item, counts it and tells the other parts. */
  addItem(name: string): Promise<Item>;
  close(): Promise<void>;
}

/** The topic under which a new item is told. */
export const ITEM_CREATED = "item-created";

/**
 * Opens what the plan chose, or nothing.
 *
 * @throws {Error} where one of them cannot be opened, with its setting and the reason.
 */
export async function openBackend(
  plan: StartupPlan,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Backend> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.close();
  };
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const one = await opening;
    opened.push(one);
    return one;
  };
  try {
    const items = await open(openItems(plan.databaseDriver, env));
    const counters = await open(openCounters(plan.keyValueDriver, env));
    const mediator = await open(openMediator(plan.messageMediator, env));
    const addItem = async (name: string): Promise<Item> => {
      const item = await items.add(name);
      await counters.increment("items-created");
      await mediator.publish(ITEM_CREATED, item);
      return item;
    };
    return { plan, contexts: new ContextRegistry(), items, counters, mediator, addItem, close };
  } catch (error) {
    await close();
    throw error;
  }
}
