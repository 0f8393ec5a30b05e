/// <reference lib="dom" />
/** A task from opening the page to its result, by mouse, by keyboard alone and on a phone. */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { longTest } from "../support/runs.ts";
import type { TabId } from "../../src/console/state/address.ts";
import type { ConsoleOptions } from "./open-console.ts";

/** Returns the number of clicks or touches so far. Selecting an option counts as two: one opens the list. */
type Clicks = () => Promise<number>;

interface Counts {
  readonly clicks: number;
  /** If a phone needs more, for example to open the list of views. */
  readonly touches?: number;
  /** The number of clicks in the first version of the console. */
  readonly first: number | "impossible";
}

/** The devices that the user of a task has. */
export interface Way {
  readonly name: "by mouse" | "by keyboard alone" | "on a phone";
  readonly look: ConsoleOptions;
  readonly press: (target: Locator) => Promise<void>;
  readonly choose: (target: Locator, value: string) => Promise<void>;
  readonly fill: (target: Locator, text: string) => Promise<void>;
  /** Opens a view by its link in the navigation. */
  readonly visit: (page: Page, id: TabId) => Promise<void>;
}

type Task = (by: Way) => Promise<Clicks>;
type Declare = (name: string, counts: Counts, run: Task) => void;

export interface Tasks {
  readonly task: Declare;
  /** Of the long run only, because the tests of its tab do the same in every run. */
  readonly longTask: Declare;
}

/** The title of a test has the counts. Counting starts when the page is open. */
function tasksIn(others: readonly Way[]): Tasks {
  const declare =
    (as: typeof test): Declare =>
    (name, { clicks, first, touches = clicks }, run) => {
      const declareOne = (how: typeof test, by: Way, expected: number, title: string): void =>
        how(`${name}, ${by.name}: ${title}`, async () => {
          const counts = await run(by);
          await expect.poll(() => counts()).toBe(expected);
        });
      declareOne(as, byMouse, clicks, `${clicks} clicks, at first ${first}`);
      if (others.includes(byKeyboard)) declareOne(longTest, byKeyboard, 0, "no click");
      if (others.includes(onPhone)) declareOne(longTest, onPhone, touches, `${touches} touches`);
    };
  return { task: declare(test), longTask: declare(longTest) };
}

const byMouse: Way = {
  name: "by mouse",
  look: {},
  press: (target) => target.click(),
  choose: async (target, value) => void (await target.selectOption(value)),
  fill: (target, text) => target.fill(text),
  visit: (page, id) => linkOf(page, id).click(),
};

const onPhone: Way = {
  ...byMouse,
  name: "on a phone",
  look: { isPhone: true, isTouch: true },
  press: (target) => target.tap(),
  async visit(page, id) {
    // The bar of a phone shows the first views.
    if (!(await linkOf(page, id).isVisible())) await page.locator(".open-more").tap();
    await linkOf(page, id).tap();
  },
};

const byKeyboard: Way = {
  name: "by keyboard alone",
  look: {},
  async press(target) {
    const key = await reach(target);
    const isChecked = (): Promise<boolean> =>
      target.evaluate((one) => (one as HTMLLabelElement).control?.matches(":checked") === true);
    if (key !== "ArrowRight") await target.page().keyboard.press(key);
    else for (let at = 0; at < 20 && !(await isChecked()); at += 1) await target.page().keyboard.press(key);
  },
  async choose(target, value) {
    await reach(target);
    // The value of an option may be a property without an attribute.
    const label = await target.evaluate(
      (select, wanted) => [...(select as HTMLSelectElement).options].find((option) => option.value === wanted)?.label,
      value,
    );
    if (label === undefined) throw new Error(`${String(target)} has no option ${value}`);
    await target.page().keyboard.type(label);
  },
  async fill(target, text) {
    await reach(target);
    await target.page().keyboard.press("ControlOrMeta+a");
    await target.page().keyboard.type(text);
  },
  visit: (page, id) => byKeyboard.press(linkOf(page, id)),
};

function linkOf(page: Page, id: TabId): Locator {
  return page.locator(`#tab-${id}`);
}

const MAX_STOPS = 300;

/** Presses Tab until the target has the focus. @returns the key that activates it */
async function reach(target: Locator): Promise<"Enter" | "Space" | "ArrowRight"> {
  await target.waitFor();
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    const key = await target.evaluate((element) => {
      const control = element instanceof HTMLLabelElement ? element.control : element;
      const focus = document.activeElement as HTMLInputElement | null;
      if (control instanceof HTMLInputElement && control.type === "radio")
        return focus?.type === "radio" && focus.name === control.name ? "ArrowRight" : undefined;
      if (control !== focus) return undefined;
      return control instanceof HTMLInputElement && control.type === "checkbox" ? "Space" : "Enter";
    });
    if (key !== undefined) return key;
    await target.page().keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${String(target)}`);
}

export const byMouseOnly = tasksIn([]);
export const inEveryWay = tasksIn([byKeyboard, onPhone]);

/** Counts from now on, also after a reload. */
export async function counted(page: Page): Promise<Clicks> {
  let clicks = 0;
  await page.exposeFunction("countClicks", (count: number) => void (clicks += count));
  const listen = (): void => {
    const { countClicks } = window as unknown as { countClicks: (count: number) => void };
    let pressed = false;
    addEventListener("pointerdown", () => countClicks(1), true);
    addEventListener("keydown", () => (pressed = true), true);
    addEventListener("change", ({ target }) => target instanceof HTMLSelectElement && !pressed && countClicks(2), true);
  };
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return async () => {
    await page.evaluate(() => undefined);
    return clicks;
  };
}

/** Records what the page copies, because a headless browser has no clipboard. */
export async function copiesOf(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => Promise.resolve(void (document.body.dataset["copied"] = text));
  });
  return async () => (await page.locator("body").getAttribute("data-copied")) ?? "";
}
