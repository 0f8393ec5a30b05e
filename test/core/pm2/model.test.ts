import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ecosystemSpellings, resolveEnvironment } from "../../../src/core/project/resolve.ts";
import type { Data, LoadedEcosystem } from "../../../src/core/pm2/loaded.ts";
import { envFileOptions } from "../../../src/core/pm2/normalise.ts";
import { createScrub } from "../../../src/core/pm2/scrub.ts";
import type { EcosystemResponse } from "../../../src/core/api/bodies.ts";
import { ecosystemResponse, startCommand } from "../../../src/core/pm2/view.ts";
import { inFolder, shellQuote } from "../../../src/core/words/text.ts";
import {
  packagedCapabilityMatrix,
  packagedRuntimeContract,
} from "../../../src/core/project/facts/packaged.generated.ts";

const facts = { contract: packagedRuntimeContract, matrix: packagedCapabilityMatrix };

describe("environments", () => {
  const spellings = ecosystemSpellings(facts.contract, facts.matrix);

  test("environments are those of the specification, in its order", () => {
    expect([...spellings.keys()]).toEqual(["dev", "development", "staging", "production", "prod", "ci", "test"]);
    expect([...spellings.values()]).toEqual(["dev", "dev", "staging", "production", "production", "ci", "ci"]);
  });

  test("a PM2 profile takes precedence over an alias with the same name", () => {
    const environments = { development: { file: ".env", aliases: ["dev"] } };
    const contract = { ...facts.contract, environments, defaultEnvironment: "development" };
    const own = ecosystemSpellings(contract, facts.matrix);
    expect([own.get("dev"), own.get("development")]).toEqual(["dev", "development"]);
  });

  test.each(["", " ", "qa", "toString", "__proto__", "dev,staging", "productio"])(
    "the environment %j is refused",
    (requested) => {
      expect(() => resolveEnvironment(spellings, facts.contract, requested)).toThrow(
        /Unsupported environment .*Accepted: dev, dev/,
      );
    },
  );

  test("environments are compared trimmed and in any case, and returned as given", () => {
    expect(resolveEnvironment(spellings, facts.contract, "\tProD ")).toEqual({
      environment: "prod",
      name: "production",
    });
    expect(resolveEnvironment(spellings, facts.contract, undefined, "test")).toEqual({
      environment: "test",
      name: "ci",
    });
    expect(resolveEnvironment(spellings, facts.contract, undefined)).toEqual({ environment: "dev", name: "dev" });
    expect(() => resolveEnvironment(spellings, facts.contract, undefined, "qa")).toThrow("(from NODE_ENV)");
  });
});

describe("the command", () => {
  test("a shell parses the command into its words", () => {
    const word = fc.string({ unit: fc.constantFrom(...Array.from("ab '\"\\$`!\n\t;|&()<>*?[]#~=%-é")) });
    const awkward = ["-rf", "--", "", "a'b", "$(id)", "`id`", "a\nb", "!x", "*", "~", "é", "%s", "'"];
    const words = [...awkward, ...fc.sample(word, 200)];
    const script = `printf '%s\\0' ${words.map(shellQuote).join(" ")}`;
    expect(execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" })).toBe(words.map((w) => `${w}\0`).join(""));
  });

  test("the command selects exactly the apps, and is missing if there are no apps", () => {
    expect(startCommand("/srv/pm2/e.config.cjs", ["a", "b"])).toBe(
      "pm2 start /srv/pm2/e.config.cjs --only a,b --update-env",
    );
    expect(startCommand("/srv/my app/e.config.cjs", ["it's"])).toBe(
      String.raw`pm2 start '/srv/my app/e.config.cjs' --only 'it'\''s' --update-env`,
    );
    expect(startCommand("/srv/e.config.cjs", [])).toBeUndefined();
    expect(startCommand("/srv/e.config.cjs", [""])).toBeUndefined();
    expect(inFolder("/srv/my app", "pm2 start e.json")).toBe("cd '/srv/my app' && pm2 start e.json");
    expect([inFolder(undefined, "pm2 start e.json"), inFolder("/srv", "")]).toEqual(["pm2 start e.json", ""]);
  });
});

type AppFields = Readonly<Record<string, Data>>;

function show(
  apps: readonly AppFields[],
  suffixes?: readonly string[],
  secrets: readonly string[] = [],
  isDefaultExport = false,
): EcosystemResponse {
  const places = {
    folder: "/",
    cwd: "/",
    hasCwd: true,
    script: "/a.js",
    hasScript: true,
    interpreter: "node",
    envFiles: [],
  };
  const loaded: LoadedEcosystem = {
    path: "/pm2/e.config.cjs",
    realPath: "/pm2/e.config.cjs",
    apps: apps.map((fields) => ({
      fields: { script: "a.js", ...fields },
      keys: Object.keys(fields),
      unset: [],
      places,
    })),
    found: "apps",
    isDefaultExport,
    withheld: [],
    files: [],
  };
  const file = { environment: "dev", name: "dev", fileName: "e.config.cjs", path: loaded.path, loaded };
  return ecosystemResponse(file, { contract: packagedRuntimeContract, secrets, suffixes, cpuCores: 2 });
}

describe("a preview", () => {
  const names = [
    "x-restapi",
    "x-websocketapi",
    "x-grpcapi",
    "restapi-x",
    "X-RESTAPI",
    "x-service-management",
    "y-restapi",
  ];
  const apps = names.map((name) => ({ name }));
  const kinds = Object.entries(packagedCapabilityMatrix.serviceKinds);

  test.each(kinds)("%s has the apps with its suffixes and one command for exactly those", (_kind, { appSuffixes }) => {
    const expected = names.filter((name) => appSuffixes.some((suffix) => name.endsWith(suffix)));
    expect(show(apps, appSuffixes).preview).toEqual({
      apps: expected,
      command: `pm2 start /pm2/e.config.cjs --only ${expected.join(",")} --update-env`,
    });
    expect(expected).toContain("x-restapi");
    expect(expected).not.toContain("x-service-management");
  });

  test("a preview without a matching app has no command, because PM2 would start all apps", () => {
    expect(show([{ name: "other" }], ["restapi"]).preview).toEqual({ apps: [], command: null });
    expect(show(apps)).not.toHaveProperty("preview");
  });

  test("no command is shown where PM2 finds no app in the file", () => {
    const shown = show([{ name: "x-restapi" }], ["restapi"], [], true);
    expect(shown.apps).toMatchObject([{ name: "x-restapi", command: "" }]);
    expect(shown.preview).toEqual({ apps: ["x-restapi"], command: null });
  });
});

describe("the shown values", () => {
  const env = {
    NODE_ENV: "development",
    SVC_HTTP_PORT: 3000,
    SVC_KEYVALUESTORAGE_DRIVER: "redis",
    SVC_AUTH_MAX_LOGIN_ATTEMPTS: "5",
    SVC_JWT_TOKEN_SECRET_KEY: "canary-jwt",
    SVC_REDIS_URL: "redis://127.0.0.1",
    SVC_WEBSOCKET_CLUSTER_WORKERS: 4,
    SVC_WEBSOCKET_REDIS_URL: "redis://u:canary-ws@h",
    API_TOKEN: "canary-token",
    dbPassword: "canary-password",
    STRIPE_KEY: "canary-stripe",
    SOME_URL: "https://u:canary-url@h/",
    CERT: "-----BEGIN RSA PRIVATE KEY-----\ncanary",
    COPY: "x canary-token y",
    EMPTY_SECRET: "",
    __proto__x: "kept",
    OBJECT: { nested: "canary-token" },
  };

  test("the view hides every secret, also if it is repeated", () => {
    const response = show(
      [
        {
          name: "svc-canary-token",
          script: "run --token canary-other a.js --from canary-known",
          interpreter_args: ["--require=canary-password", "--api-key", "canary-option", "--password=canary-flag"],
          env,
        },
      ],
      ["canary-token"],
      ["canary-known"],
    );
    expect(JSON.stringify(response)).not.toContain("canary");
    expect(response.apps[0]?.env).toEqual({
      NODE_ENV: "development",
      SVC_HTTP_PORT: "3000",
      SVC_KEYVALUESTORAGE_DRIVER: "redis",
      SVC_AUTH_MAX_LOGIN_ATTEMPTS: "5",
      SVC_JWT_TOKEN_SECRET_KEY: "[REDACTED]",
      SVC_REDIS_URL: "[REDACTED]",
      SVC_WEBSOCKET_CLUSTER_WORKERS: "[REDACTED]",
      SVC_WEBSOCKET_REDIS_URL: "[REDACTED]",
      API_TOKEN: "[REDACTED]",
      dbPassword: "[REDACTED]",
      STRIPE_KEY: "[REDACTED]",
      SOME_URL: "[REDACTED]",
      CERT: "[REDACTED]",
      COPY: "x [REDACTED] y",
      EMPTY_SECRET: "",
      __proto__x: "kept",
      OBJECT: '{"nested":"[REDACTED]"}',
    });
  });

  test("the view keeps ordinary words in a variable with a vague name", () => {
    const [app] = show([
      { name: "svc-dev-restapi", env: { SESSION_KEY_PREFIX: "svc-dev", AUTH: "development", PORT_KEY: "1" } },
    ]).apps;
    expect(app?.name).toBe("svc-dev-restapi");
  });
});

test("the longest secret is hidden first, and no secret is read as a pattern", () => {
  const scrub = createScrub(["secret", "secret-longer", "$&$1.*"]);
  expect(scrub("a secret-longer b secret c $&$1.* d")).toBe("a [REDACTED] b [REDACTED] c [REDACTED] d");
});

test("env files are found in Node's options", () => {
  expect(
    envFileOptions(["--env-file=.env", "--env-file", "b", "--env-file-if-exists=/c", "--env-files=x", "--env-file"]),
  ).toEqual([
    { file: ".env", isOptional: false },
    { file: "b", isOptional: false },
    { file: "/c", isOptional: true },
  ]);
});
