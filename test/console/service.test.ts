/// <reference lib="dom" />
/** @see the specification, "Validation rules behind rejections" 1; "Deploy target list behaviour" 6 */
import { describe, expect } from "vitest";
import { hasBrowser, useBrowser } from "../browser/support.ts";
import { expectAccessibleInEveryLook } from "./accessibility.ts";
import { focused, tabTo } from "./keyboard.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";
import { longTest } from "../support/runs.ts";

const browser = useBrowser();
const version = "service-management.v1";
const good = { serviceKind: "rest-api", runMode: "virtual-machine", cloudProvider: "aws", ports: { rest: 3000 } };

function open(serviceConfiguration?: object): Promise<SuitePage> {
  return openSuite(browser, "service", { version, ...(serviceConfiguration && { serviceConfiguration }) });
}

function issues({ page }: SuitePage): Promise<string[]> {
  return page.locator(".field-issue").allTextContents();
}

describe.skipIf(!hasBrowser)("a candidate is validated before it changes the stored configuration", () => {
  longTest("nothing is stored: the form suggests values, ports are required, and saving stores numbers", async () => {
    const suite = await open();
    await expect.poll(() => suite.page.getByText("No service configuration is saved yet.").count()).toBe(1);
    await suite.button("Save configuration").click();
    await expect
      .poll(() => issues(suite))
      .toEqual([expect.stringMatching(/ports.rest is missing; accepted: an integer from 1/)]);
    await expect.poll(() => focused(suite.page)).toBe("REST port");
    await expect.poll(() => suite.stored()).toEqual({ version });
    await suite.field("REST port").fill("8080");
    await suite.field("Static assets path").fill("public");
    await suite.button("Save configuration").click();
    await expect
      .poll(() => suite.stored())
      .toEqual({
        version,
        serviceConfiguration: {
          serviceKind: "rest-api",
          runMode: "dedicated-server",
          cloudProvider: "self-hosted",
          staticAssetsPath: "public",
          ports: { rest: 8080 },
        },
      });
    await expect.poll(() => suite.page.getByText("The saved configuration is valid.").count()).toBe(1);
  });

  longTest(
    "a provider that the run mode does not support is refused with the accepted ones, and not replaced",
    async () => {
      const suite = await open(good);
      const before = await suite.storedText();
      for (const [mode, provider, accepted] of [
        ["functions", "self-hosted", "aws, vercel, cloudflare"],
        ["dedicated-server", "vercel", "self-hosted"],
        ["virtual-machine", "vercel", "aws, google, azure"],
        ["container", "aws", "docker, self-hosted"],
      ] as const) {
        await suite.field("Run mode").selectOption(mode);
        await suite.field("Cloud provider").selectOption(provider);
        await suite.button("Save configuration").click();
        await expect.poll(() => issues(suite)).toEqual([expect.stringContaining(`accepted: ${accepted}`)]);
        await expect.poll(() => suite.storedText()).toBe(before);
        await expect.poll(() => suite.field("Run mode").inputValue()).toBe(mode);
        await expect.poll(() => suite.field("Cloud provider").inputValue()).toBe(provider);
        await expect.poll(() => focused(suite.page)).toBe("Cloud provider");
        await expect.poll(() => suite.page.locator("td.chosen").textContent()).toBe("–no, your selection");
        await suite.button("Revert").click();
        await expect.poll(() => suite.field("Cloud provider").inputValue()).toBe("aws");
        await expect.poll(() => issues(suite)).toEqual([]);
      }
    },
  );

  longTest("a port that is not an integer from 1 to 65535 is refused", async () => {
    const suite = await open(good);
    for (const port of ["0", "65536", "80.5", "http", "-1", "1e3"]) {
      await suite.field("REST port").fill(port);
      await suite.button("Save configuration").click();
      await expect
        .poll(() => issues(suite), { message: port })
        .toEqual([expect.stringContaining("accepted: an integer from 1 to 65535")]);
      await expect.poll(() => suite.stored(), { message: port }).toEqual({ version, serviceConfiguration: good });
      await suite.button("Revert").click();
      await expect.poll(() => issues(suite), { message: port }).toEqual([]);
    }
  });

  longTest("two active ports never collide; a port that the kind does not bind is ignored, and kept", async () => {
    const suite = await open({ ...good, ports: { rest: 3000, websocket: 3000 } });
    await expect.poll(() => suite.page.getByText("The saved configuration is valid.").count()).toBe(1);
    await expect.poll(() => suite.field("WebSocket port").count()).toBe(0);
    await suite.field("Service kind").selectOption("websocket-rest-api");
    await expect.poll(() => issues(suite)).toEqual([expect.stringContaining("3000 is the port of rest already")]);
    await suite.field("WebSocket port").fill("nonsense");
    await suite.field("Service kind").selectOption("grpc-rest-api");
    await suite.field("gRPC port").fill(" 3002 ");
    await suite.button("Save configuration").click();
    const ports = { rest: 3000, websocket: 3000, grpc: 3002 };
    const serviceConfiguration = { ...good, serviceKind: "grpc-rest-api", ports };
    await expect.poll(() => suite.stored()).toEqual({ version, serviceConfiguration });
  });
});

describe.skipIf(!hasBrowser)("the stored configuration", () => {
  longTest(
    "is validated on every render: an invalid profile is marked in its tab and beside its name, and stays",
    async () => {
      const bad = { ...good, cloudProvider: "vercel", serviceKind: "soap", ports: { rest: "x" }, colour: "red" };
      const suite = await open(bad);
      const flagged = await suite.page
        .getByRole("list", { name: "Issues of the stored service configuration" })
        .locator("li")
        .allTextContents();
      expect(flagged).toHaveLength(3);
      expect(flagged.join("\n")).toMatch(/"soap" is not known/);
      expect(flagged.join("\n")).toMatch(/accepted: aws, google, azure/);
      expect(flagged.join("\n")).toMatch(/"colour" is not a known key/);
      await expect
        .poll(() => suite.page.getByRole("link", { name: /Service configuration/ }).textContent())
        .toContain("1 error");
      await expect.poll(() => suite.stored()).toEqual({ version, serviceConfiguration: bad });
      await suite.field("Service kind").selectOption("rest-api");
      await suite.field("Cloud provider").selectOption("aws");
      await suite.field("REST port").fill("80");
      await suite.button("Save configuration").click();
      const serviceConfiguration = { ...good, ports: { rest: 80 }, colour: "red" };
      await expect.poll(() => suite.stored()).toEqual({ version, serviceConfiguration });
    },
  );

  longTest("is validated again when another tab of the browser writes it", async () => {
    const suite = await open(good);
    const other = await suite.page.context().newPage();
    await other.goto(suite.page.url());
    await other.evaluate(
      (text) => localStorage.setItem("service-management.v1", text),
      JSON.stringify({ version, serviceConfiguration: { ...good, cloudProvider: "docker" } }),
    );
    const flag = suite.page.getByText("The saved configuration is not valid");
    await flag.waitFor();
    await expect.poll(() => flag.textContent()).toContain("1 issue");
  });

  longTest("in an unexpected form is kept unchanged until it is fixed", async () => {
    const suite = await open({ ...good, ports: [1] });
    await expect.poll(() => suite.page.getByText("The saved configuration is not valid").count()).toBe(1);
    await suite.field("REST port").fill("81");
    await suite.button("Save configuration").click();
    await expect
      .poll(() => suite.stored())
      .toEqual({ version, serviceConfiguration: { ...good, ports: { rest: 81 } } });
  });
});

describe.skipIf(!hasBrowser)("every user", () => {
  longTest("saves by keyboard alone; typed values are kept while another tab is open", async () => {
    const suite = await open(good);
    const { keyboard } = suite.page;
    await suite.page.locator("#tab-service").focus();
    await tabTo(suite.page, "REST port");
    await keyboard.type("81");
    await suite.page.locator("#tab-service").focus();
    await keyboard.press("ArrowDown");
    await keyboard.press("ArrowUp");
    await expect.poll(() => suite.field("REST port").inputValue()).toBe("81");
    await tabTo(suite.page, "REST port");
    await keyboard.press("Enter");
    await expect
      .poll(() => suite.stored())
      .toEqual({ version, serviceConfiguration: { ...good, ports: { rest: 81 } } });
  });

  longTest("the service tab is accessible in every theme", async () => {
    const bad = { version, serviceConfiguration: { ...good, cloudProvider: "vercel" } };
    const suite = await openSuite(browser, "service", bad);
    await suite.button("Save configuration").click();
    await expectAccessibleInEveryLook(suite);
  });
});
