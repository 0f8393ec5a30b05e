/// <reference lib="dom" />
/** @see the specification, "Interface adapter" */
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { focused, tabTo } from "./keyboard.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const version = "service-management.v1";
const rest = {
  type: "http-rest",
  framework: "express",
  entrypoint: "src/interface/HTTP/start.ts",
  controller: "ItemController.list",
};
const grpc = {
  type: "grpc",
  framework: "grpc",
  entrypoint: "src/interface/gRPC/start.ts",
  controller: "ItemController.get",
};

function open(...interfaces: object[]): Promise<SuitePage> {
  return openSuite(browser, "interfaces", { version, interfaces });
}

async function fill(suite: SuitePage, { type, framework, entrypoint, controller }: typeof rest): Promise<void> {
  await suite.field("Type").selectOption(type);
  await suite.field("Framework").selectOption(framework);
  await suite.field("Entrypoint").fill(entrypoint);
  await suite.field("Controller").fill(controller);
}

describe.skipIf(!hasBrowser)("interface adapters", () => {
  longTest("are added, edited in place and removed", async () => {
    const suite = await open();
    await expect.poll(() => suite.page.getByText("No interface adapters yet").count()).toBe(1);
    await fill(suite, rest);
    await suite.button("Add Interface").click();
    await fill(suite, grpc);
    await suite.button("Add Interface").click();
    await expect.poll(() => suite.stored()).toEqual({ version, interfaces: [rest, grpc] });
    await expect.poll(() => focused(suite.page)).toBe("1");
    await suite.button("Edit ItemController.list").click();
    await expect.poll(() => focused(suite.page)).toBe("Type");
    await suite.field("Framework").selectOption("fastify");
    await suite.button("Save Interface").click();
    await expect.poll(() => suite.stored()).toEqual({ version, interfaces: [{ ...rest, framework: "fastify" }, grpc] });
    suite.answer(false);
    await suite.button("Delete ItemController.get").click();
    await expect.poll(() => suite.questions).toEqual(["Delete interface adapter ItemController.get?"]);
    await suite.page.locator("dialog[open]").waitFor({ state: "detached" });
    suite.answer(true);
    await suite.button("Edit ItemController.get").click();
    await suite.button("Delete ItemController.list").click();
    await suite.button("Delete ItemController.list").waitFor({ state: "detached" });
    await suite.field("Controller").fill("ItemController.other");
    await suite.button("Save Interface").click();
    await expect
      .poll(() => suite.stored())
      .toEqual({ version, interfaces: [{ ...grpc, controller: "ItemController.other" }] });
  });

  longTest("offer the frameworks of their type, but no alias", async () => {
    const suite = await open();
    const offered = async (type: string): Promise<string[]> => {
      await suite.field("Type").selectOption(type);
      return suite.field("Framework").locator("option").allTextContents();
    };
    const http = await offered("http-rest");
    expect(http).toHaveLength(12);
    expect(http).toEqual(expect.arrayContaining(["not chosen", "express", "derby-js", "sails-js"]));
    expect(http).not.toContain("derby");
    expect(await offered("sse")).toEqual(http);
    expect(await offered("websocket")).toEqual(["socket-io"]);
    expect(await offered("grpc")).toEqual(["grpc"]);
  });

  longTest.each([
    ["a framework of another type", { ...rest, type: "sse" }, { type: "grpc" }, /"express" does not serve "grpc"/],
    [
      "an entrypoint in another folder",
      rest,
      { entrypoint: "src/app.ts" },
      /"src\/app.ts" is not under src\/interface/,
    ],
    ["an entrypoint that leaves", rest, { entrypoint: "src/interface/../a.ts" }, /has a part that is not made of/],
    ["an entrypoint of another kind", rest, { entrypoint: "src/interface/a.py" }, /does not end in .ts or .js/],
    ["a controller of another form", rest, { controller: "item.list" }, /does not have the form XController.action/],
    [
      "the same type and entrypoint",
      rest,
      { ...grpc, controller: "ItemController.put" },
      /another grpc adapter starts at/,
    ],
    ["the same controller", rest, { controller: grpc.controller }, /is mapped by another adapter/],
  ])("are refused for %s, and nothing changes", async (_name, from, change, words) => {
    const suite = await open(grpc);
    const before = await suite.storedText();
    await fill(suite, { ...from, controller: "ItemController.new" });
    for (const [field, value] of Object.entries(change)) {
      const control = suite.field(field.replace(/^./, (first) => first.toUpperCase()));
      if (field === "type" || field === "framework") await control.selectOption(value);
      else await control.fill(value);
    }
    await suite.button("Add Interface").click();
    await expect
      .poll(() => suite.page.locator(".field-issue").allTextContents())
      .toEqual([expect.stringMatching(words)]);
    await expect.poll(() => suite.storedText()).toBe(before);
  });

  longTest("are validated when they are loaded", async () => {
    const suite = await open(rest, { ...rest, framework: "derby" }, {});
    await expect
      .poll(() => suite.entries().locator(".badge.error").allTextContents())
      .toEqual(["3 issues", "4 issues"]);
    await suite.button("Edit Adapter 3").click();
    await expect.poll(() => suite.field("Type").inputValue()).toBe("");
    await fill(suite, grpc);
    await suite.button("Save Interface").click();
    await expect
      .poll(() => suite.stored())
      .toEqual({ version, interfaces: [rest, { ...rest, framework: "derby" }, grpc] });
  });

  longTest("are added, edited and removed by keyboard alone", async () => {
    const suite = await open(rest);
    const { keyboard } = suite.page;
    await suite.page.locator("#tab-interfaces").focus();
    await tabTo(suite.page, "Type");
    await keyboard.type("gRPC");
    await keyboard.press("Tab");
    await keyboard.press("Tab");
    await keyboard.type("src/interface/gRPC/start.ts");
    await keyboard.press("Tab");
    await keyboard.type("ItemController.get");
    await keyboard.press("Enter");
    await expect.poll(() => suite.stored()).toEqual({ version, interfaces: [rest, grpc] });
    await expect.poll(() => focused(suite.page)).toBe("1");
    for (const key of ["Tab", "Enter"]) await keyboard.press(key);
    await expect.poll(() => focused(suite.page)).toBe("Type");
    await keyboard.press("Escape");
    await expect.poll(() => focused(suite.page)).toBe("1");
    for (const key of ["Tab", "Tab", "Enter"]) await keyboard.press(key);
    await expect.poll(() => suite.stored()).toEqual({ version, interfaces: [rest] });
  });

  longTest("the interfaces tab is accessible in every theme", async () => {
    const suite = await openSuite(browser, "interfaces", { version, interfaces: [rest, rest] });
    await suite.button("Add Interface").click();
    await expectAccessibleInEveryLook(suite);
  });
});
