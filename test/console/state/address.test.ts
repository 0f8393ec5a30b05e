import { signal } from "@preact/signals";
import { describe, expect, test } from "vitest";
import { createAddress, formatLink, parseLink, textPart, type TabId } from "../../../src/console/state/address.ts";

describe("a link", () => {
  test.each([
    "#/activity",
    "#/monitoring?service=orders&sort=-cpu",
    "#/monitoring?open=0+api&open=1+a%26b%3D%25",
    "#/pm2?find=%E2%80%AE",
  ])("%s is the same after it is parsed and printed", (hash) => expect(formatLink(parseLink(hash))).toBe(hash));

  test.each(["", "#", "#/", "#/nothing", "#/monitoring?%", "?x=1"])("%j opens a tab", (hash) =>
    expect(parseLink(hash).tab).toBe("monitoring"),
  );
});

function address(hash: string) {
  const first = parseLink(hash);
  const tab = signal<TabId>(first.tab);
  const [service, find, limit] = [signal(""), signal(""), signal("50")];
  const made = createAddress(first, tab);
  const parts = [
    textPart({ name: "service" }, service),
    textPart({ name: "find", tab: "activity" }, find),
    textPart({ name: "limit", tab: "activity" }, limit, { fallback: "50", accepts: (value) => value === "200" }),
  ];
  return { ...made, tab, service, find, limit, parts, hash: () => formatLink(made.link.value) };
}

describe("the address", () => {
  test("keeps the parameters of the first link until the parts that they belong to exist", () => {
    const { add, parts, hash, service, limit } = address("#/activity?service=orders&limit=200");
    expect(hash()).toBe("#/activity?service=orders&limit=200");
    add(...parts);
    expect([service.value, limit.value, hash()]).toEqual(["orders", "200", "#/activity?service=orders&limit=200"]);
  });

  test("has the parameters of its tab and of the page, without defaults", () => {
    const { add, parts, hash, service, find, tab } = address("#/activity");
    add(...parts);
    expect(hash()).toBe("#/activity");
    service.value = "orders";
    find.value = "env write";
    expect(hash()).toBe("#/activity?service=orders&find=env+write");
    tab.value = "monitoring";
    expect(hash()).toBe("#/monitoring?service=orders");
  });

  test("a link with parameters resets what it does not name; a link without parameters changes nothing", () => {
    const { add, parts, take, hash, limit } = address("#/activity?service=orders&limit=200&find=x");
    add(...parts);
    take(parseLink("#/activity"));
    expect(hash()).toBe("#/activity?service=orders&find=x&limit=200");
    take(parseLink("#/activity?find=y"));
    expect(hash()).toBe("#/activity?find=y");
    expect(limit.value).toBe("50");
  });

  test("a value that is not accepted counts as the default", () => {
    const { add, parts, hash } = address("#/activity?limit=7");
    add(...parts);
    expect(hash()).toBe("#/activity");
  });

  test("a parameter that belongs to no part stays until the tab is left", () => {
    const { add, parts, hash, open } = address("#/activity?else=1");
    add(...parts);
    expect(hash()).toBe("#/activity?else=1");
    open("pm2");
    expect(hash()).toBe("#/pm2");
  });
});
