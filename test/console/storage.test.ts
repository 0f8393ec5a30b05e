/// <reference lib="dom" />
import { describe, expect, test } from "vitest";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../src/core/project/facts/packaged.generated.ts";
import { STORAGE_KEY, DocumentStore } from "../../src/console/state/document-store.ts";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { testServer } from "../server/support.ts";
import { axe } from "./accessibility.ts";
import { openConsole } from "./open-console.ts";
import { longTest } from "../support/runs.ts";

/** A browser storage with a limited size. */
function storage(entries: Readonly<Record<string, string>> = {}, room = Infinity): Storage {
  const map = new Map(Object.entries(entries));
  return {
    get length() {
      return map.size;
    },
    key: (at) => [...map.keys()][at] ?? null,
    getItem: (key) => map.get(key) ?? null,
    setItem(key, value) {
      if (value.length > room) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
      map.set(key, value);
    },
    removeItem: (key) => void map.delete(key),
    clear: () => map.clear(),
  };
}

const open = (place: Storage | undefined, server = "one") =>
  new DocumentStore({ storage: place, vocabulary: { contract, matrix }, server, now: () => 42 });

describe("the stored document", () => {
  test("is stored completely under its versioned key", () => {
    const place = storage();
    const store = open(place);
    store.update((suite) => ({ ...suite, runtimeEnvironment: "staging" }));
    expect(JSON.parse(place.getItem(STORAGE_KEY) ?? "")).toEqual({
      version: "service-management.v1",
      runtimeEnvironment: "staging",
    });
    expect(open(place).document.value).toEqual(store.document.value);
  });

  test("is not written when the page is opened", () => {
    const text = '{"version": "service-management.v1",  "deployments": []}';
    const place = storage({ [STORAGE_KEY]: text });
    open(place);
    expect(place.getItem(STORAGE_KEY)).toBe(text);
  });

  test("a legacy deploy target is migrated, and unknown keys and rejected values are kept", () => {
    const legacy = { name: "old", type: "dedicated", region: "", runtime: "node20", owner: "ops" };
    const odd = { name: "odd", deployTarget: "mainframe" };
    const place = storage({ [STORAGE_KEY]: JSON.stringify({ deployments: [legacy, odd], future: { a: 1 } }) });
    expect(open(place).document.value).toEqual({
      version: "service-management.v1",
      future: { a: 1 },
      deployments: [
        {
          name: "old",
          region: "",
          runtime: "node20",
          owner: "ops",
          deployTarget: "dedicated-server",
          serviceType: "restapi",
          runtimeProtocol: "http",
          databaseDriver: "InMemory",
          keyValueDriver: "redis",
          pm2Profile: "dev",
        },
        odd,
      ],
    });
  });

  test.each([
    ["{broken", "It is not JSON"],
    ["[]", "It is not a map."],
    ['{"version":"service-management.v9"}', "accepted: service-management.v1"],
    ['{"deployments":{}}', "deployments is not a list of maps."],
    ['{"interfaces":[1]}', "interfaces is not a list of maps."],
    ['{"runtimeEnvironment":{"SVC_A":"1"}}', "runtimeEnvironment is not the name of an environment."],
    ['{"serviceConfiguration":[]}', "serviceConfiguration is not a map."],
  ])("%s is reported and kept separately, also after a reload", (text, reason) => {
    const place = storage({ [STORAGE_KEY]: text });
    const store = open(place);
    expect(store.document.value).toEqual({ version: "service-management.v1" });
    expect(store.aside.value).toEqual([
      { key: `${STORAGE_KEY}.aside.42`, text, reason: expect.stringContaining(reason) },
    ]);
    store.update((suite) => ({ ...suite, runtimeEnvironment: "ci" }));
    const later = open(place);
    expect(later.document.value.runtimeEnvironment).toBe("ci");
    expect(later.aside.value[0]?.text).toBe(text);
    later.dropAside(`${STORAGE_KEY}.aside.42`);
    expect(open(place).aside.value).toEqual([]);
  });

  test("is not overwritten if there is no room for a copy", () => {
    const place = storage({ [STORAGE_KEY]: "{broken" }, 10);
    const store = open(place);
    store.update((suite) => ({ ...suite, runtimeEnvironment: "ci" }));
    expect(place.getItem(STORAGE_KEY)).toBe("{broken");
    expect(store.unsaved.value).toContain("no room");
    expect(store.document.value.runtimeEnvironment).toBe("ci");
  });

  test("a change that cannot be stored is reported, until a change is stored", () => {
    const store = open(storage({}, 60));
    store.update((suite) => ({ ...suite, runtimeEnvironment: "x".repeat(60) }));
    expect(store.unsaved.value).toContain("quota");
    store.update(() => ({ version: "service-management.v1" }));
    expect(store.unsaved.value).toBeUndefined();
    expect(open(undefined).unsaved.value).toContain("stores nothing");
  });

  test("is loaded again after another tab stores it", () => {
    const store = open(storage());
    const newValue = '{"version":"service-management.v1","runtimeEnvironment":"dev"}';
    store.onStorage({ key: STORAGE_KEY, newValue } as StorageEvent);
    expect(store.document.value.runtimeEnvironment).toBe("dev");
  });
});

const browser = useBrowser();

longTest.skipIf(!hasBrowser)(
  "corrupt storage is reported, can be downloaded, and is removed only on demand",
  async () => {
    const server = await testServer({ env: { PM2_HOME: "/nowhere/pm2" } });
    const stored = { [STORAGE_KEY]: '{"deployments": [' };
    const { page, answer, questions } = await openConsole(browser, server.url, { tab: "activity", stored });
    await page.getByText("could not be read and was kept aside").waitFor();
    await expect.poll(() => axe(page)).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe(stored[STORAGE_KEY]);
    const kept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(".aside.")).length);
    answer(false);
    await page.getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => questions).toHaveLength(1);
    expect(await kept()).toBe(1);
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    answer(true);
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("kept aside").waitFor({ state: "detached" });
    expect(await kept()).toBe(0);
    await expect.poll(() => questions).toHaveLength(2);
  },
);
