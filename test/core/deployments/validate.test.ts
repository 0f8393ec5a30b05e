import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import { catalog } from "../../../src/core/setup/codes/catalog.ts";
import { migrateTarget } from "../../../src/core/deployments/shape.ts";
import {
  rules,
  entryIssues,
  listVerdicts,
  validateSource,
  validateDocument,
} from "../../../src/core/deployments/validate.ts";
import { readSource } from "../../../src/core/yaml/read.ts";
import { parseYaml } from "../../../src/core/yaml/parse.ts";

const vocabulary = { contract, matrix };
const folder = fileURLToPath(new URL("../../fixtures/deployments/", import.meta.url));
const cases = readdirSync(folder).filter((name) => /\.(?:yaml|json)$/.test(name) && !name.includes(".expected."));
const codes = new Set(Object.values(catalog).flatMap(Object.keys));

/** Each case is a pair of files, `name.yaml` and `name.expected.txt`. A new case needs no code. */
test.each(cases)("%s", async (name) => {
  const issues = validateSource(readSource(readFileSync(folder + name, "utf8"), name), vocabulary);
  for (const { code } of issues) expect(codes).toContain(code);
  const lines = issues.map(({ at, code, message, suggestion }) => {
    const meant = suggestion === undefined ? "" : ` [${suggestion}?]`;
    return `${at?.file}:${at?.line}:${at?.column} ${code} ${message}${meant}`;
  });
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`${folder}${name.replace(/\.\w+$/, ".expected.txt")}`);
});

test("each rule has a case in test/fixtures/deployments", () => {
  const expected = cases
    .map((name) => readFileSync(`${folder}${name.replace(/\.\w+$/, ".expected.txt")}`, "utf8"))
    .join();
  const all = Object.values(rules).flatMap((list) => list.map(({ code }) => code));
  expect(all.filter((code) => !expected.includes(` ${code} `))).toEqual([]);
});

test("this repository's deployments.yaml is valid, with a target of every group", () => {
  const text = readFileSync(new URL("../../../deployments.yaml", import.meta.url), "utf8");
  const source = parseYaml(text, "deployments.yaml");
  expect(validateSource(source, vocabulary)).toEqual([]);
  const { deployments } = source.value as { deployments: { deployTarget: string }[] };
  const groups = deployments.map(({ deployTarget }) => matrix.deployTargets[deployTarget]?.group);
  expect(new Set(groups)).toEqual(new Set(Object.keys(matrix.deployTargetGroups)));
});

describe("a deploy target", () => {
  const good = {
    name: "prod",
    region: "eu",
    runtime: "node22",
    serviceType: "restapi",
    deployTarget: "vm",
    runtimeProtocol: "http",
    databaseDriver: "SQLite",
    keyValueDriver: "redis",
    pm2Profile: "production",
  };

  test.each(["nodejs22.x", "node20", "python3.12", "go1.22", "bun1.3.13", "dotnet8.0"])(
    "takes the runtime %s",
    (runtime) => {
      expect(entryIssues("deployments", { ...good, runtime }, [], vocabulary)).toEqual([]);
    },
  );

  test.each(["latest", "lts", "22", "", "node js22", "nodejs22.", "-node20", " ", "22node"])(
    "refuses the runtime %j",
    (runtime) => {
      expect(entryIssues("deployments", { ...good, runtime }, [], vocabulary)).toHaveLength(1);
    },
  );

  test("needs a region unless it is self-hosted, even if the matrix does not know it", () => {
    const { region: _, ...placeless } = good;
    expect(entryIssues("deployments", { ...placeless, deployTarget: "dedicated-server" }, [], vocabulary)).toEqual([]);
    for (const deployTarget of ["vm", "heroku"]) {
      const issues = entryIssues("deployments", { ...placeless, deployTarget }, [], vocabulary);
      expect(issues.map(({ message }) => message)).toContain(
        `region is missing: "${deployTarget}" needs one; accepted: for example eu-central-1`,
      );
    }
  });

  test("has a name in NFC, so equal names are equal texts", () => {
    const name = "Sa\u0303o";
    expect(entryIssues("deployments", { ...good, name: name.normalize("NFC") }, [], vocabulary)).toEqual([]);
    expect(entryIssues("deployments", { ...good, name }, [], vocabulary).map(({ code }) => code)).toEqual([
      "SUITE_CHARACTERS",
    ]);
    const twice = entryIssues("deployments", { ...good, name }, [{ ...good, name: "S\u00C3O" }], vocabulary);
    expect(twice.map(({ code }) => code)).toEqual(["SUITE_CHARACTERS", "TARGET_NAME_DUPLICATE"]);
  });

  test.each([
    ["vm", ["restapi", "websocket+restapi", "grpc+restapi"]],
    ["lambda", ["functions"]],
    ["heroku", ["restapi", "websocket+restapi", "grpc+restapi", "functions"]],
  ])(
    "on %s accepts only the service types that the target runs, if its own type is missing or unknown",
    (deployTarget, accepted) => {
      for (const serviceType of [undefined, "monolith"]) {
        const issues = entryIssues("deployments", { ...good, deployTarget, serviceType }, [], vocabulary);
        expect(issues.filter(({ path }) => path[0] === "serviceType")).toMatchObject([{ accepted }]);
      }
    },
  );

  test("needs a unique name, ignoring case", () => {
    expect(entryIssues("deployments", { ...good, name: "PROD" }, [good], vocabulary).map(({ code }) => code)).toEqual([
      "TARGET_NAME_DUPLICATE",
    ]);
    expect(entryIssues("deployments", good, [{ ...good, name: "other" }], vocabulary)).toEqual([]);
  });
});

describe("the verdicts on a list", () => {
  const folderOf = (name: string): string => readFileSync(`${folder}${name}`, "utf8");

  test.each(cases.filter((name) => name.endsWith(".yaml")))("are those of the document: %s", async (name) => {
    const source = readSource(folderOf(name), name);
    const document = source.value as Record<string, unknown> | undefined;
    for (const section of ["deployments", "interfaces"] as const) {
      const list = document?.[section];
      if (
        !Array.isArray(list) ||
        !list.every((entry) => typeof entry === "object" && entry !== null && !Array.isArray(entry))
      )
        continue;
      const placed = listVerdicts(section, list, vocabulary).flatMap((issues, index) =>
        issues.map((issue) => ({ ...issue, path: [section, index, ...issue.path] })),
      );
      const ofDocument = validateDocument(document, vocabulary).filter(
        ({ path }) => path[0] === section && path.length > 1,
      );
      expect(new Set(placed.map((issue) => JSON.stringify(issue)))).toEqual(
        new Set(ofDocument.map((issue) => JSON.stringify(issue))),
      );
    }
  });

  test("report the second one of two equal names", () => {
    const [one, two] = ["prod", "PROD"].map((name) => ({
      name,
      region: "eu",
      runtime: "node22",
      serviceType: "functions",
      deployTarget: "lambda",
      runtimeProtocol: "http",
      databaseDriver: "SQLite",
      keyValueDriver: "redis",
    }));
    const codesOf = listVerdicts("deployments", [one!, two!], vocabulary).map((issues) =>
      issues.map(({ code }) => code),
    );
    expect(codesOf).toEqual([[], ["TARGET_NAME_DUPLICATE"]]);
  });
});

describe("an interface adapter", () => {
  const good = {
    type: "sse",
    framework: "fastify",
    entrypoint: "src/interface/HTTP/events.ts",
    controller: "EventController.stream",
  };

  test("of the same type and entrypoint, or of the same controller, is a duplicate", () => {
    const both = entryIssues("interfaces", good, [good], vocabulary).map(({ path }) => path);
    expect(both).toEqual([["controller"], ["entrypoint"]]);
    expect(
      entryIssues("interfaces", { ...good, type: "http-rest", controller: "A1Controller.b" }, [good], vocabulary),
    ).toEqual([]);
  });

  test.each([
    "../x.ts",
    "src/interface/x.mts",
    "src/interface/../x.ts",
    "src/interface/",
    "/src/interface/x.ts",
    1,
    undefined,
  ])("refuses the entrypoint %j", (entrypoint) => {
    expect(entryIssues("interfaces", { ...good, entrypoint }, [], vocabulary).map(({ path }) => path[0])).toContain(
      "entrypoint",
    );
  });
});

describe("a legacy deploy target", () => {
  test("is migrated without loss, with the defaults of the matrix", () => {
    const legacy = { name: "old", type: "dedicated", region: "", runtime: "node18", owner: "ann" };
    const migrated = migrateTarget(legacy, vocabulary);
    expect(migrated).toEqual({
      name: "old",
      region: "",
      runtime: "node18",
      owner: "ann",
      deployTarget: "dedicated-server",
      serviceType: "restapi",
      runtimeProtocol: "http",
      databaseDriver: "InMemory",
      keyValueDriver: "redis",
      pm2Profile: "dev",
    });
    expect(migrateTarget(migrated, vocabulary)).toBe(migrated);
  });

  test.each(["lambda", "vercel-functions"])("of %s takes functions, and no PM2 profile", (type) => {
    const migrated = migrateTarget({ name: "f", type, region: "eu", runtime: "node22" }, vocabulary);
    expect(migrated).toMatchObject({ deployTarget: type, serviceType: "functions", runtimeProtocol: "http" });
    expect(migrated).not.toHaveProperty("pm2Profile");
  });

  test("of an unknown type keeps that type for the vocabulary rule to report", () => {
    const document = { deployments: [{ name: "h", type: "heroku", region: "eu", runtime: "node22" }] };
    expect(validateDocument(document, vocabulary).map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(
        /^TARGET_VALUE_UNKNOWN deployTarget: "heroku" is not known; accepted: dedicated-server/,
      ) as string,
    ]);
  });
});

test.each([null, [], "text", 1])("%j is not a document", (document) => {
  expect(validateDocument(document, vocabulary).map(({ code }) => code)).toEqual(["SUITE_SHAPE"]);
});

test("ten thousand targets are validated one by one", () => {
  const shared = {
    region: "eu",
    runtime: "node22",
    serviceType: "restapi",
    deployTarget: "vm",
    runtimeProtocol: "http",
  };
  const rest = { databaseDriver: "SQLite", keyValueDriver: "redis", pm2Profile: "dev" };
  const deployments = Array.from({ length: 10_000 }, (_, index) => ({ name: `target-${index}`, ...shared, ...rest }));
  expect(
    validateDocument({ deployments: [...deployments, { ...deployments[0], name: "TARGET-9999" }] }, vocabulary),
  ).toMatchObject([{ code: "TARGET_NAME_DUPLICATE", path: ["deployments", 10_000, "name"] }]);
});
