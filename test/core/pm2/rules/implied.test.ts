import { describe, expect, test } from "vitest";
import { impliedApps } from "../../../../src/core/pm2/checked-ecosystem.ts";
import {
  packagedCapabilityMatrix,
  packagedRuntimeContract,
} from "../../../../src/core/project/facts/packaged.generated.ts";

const vocabulary = { contract: packagedRuntimeContract, matrix: packagedCapabilityMatrix };
const serviceConfiguration = { serviceKind: "websocket-rest-api" };
const target = (pm2Profile: unknown, serviceType: unknown, deployTarget: unknown = "vm") => ({
  name: "it",
  deployTarget,
  serviceType,
  pm2Profile,
});
const implied = (deployments: unknown, profile = "production", configuration: unknown = serviceConfiguration) =>
  impliedApps({ serviceConfiguration: configuration, deployments }, profile, vocabulary);

const ofConfiguration = [{ by: "service kind websocket-rest-api", suffixes: ["restapi", "websocketapi"] }];

describe("the apps that deployments.yaml implies in an environment", () => {
  test.each(Object.entries(packagedCapabilityMatrix.serviceTypes))(
    "%s, by a target",
    (serviceType, { serviceKind }) => {
      const { appSuffixes } = packagedCapabilityMatrix.serviceKinds[serviceKind ?? ""] ?? {};
      const expected =
        appSuffixes === undefined ? [] : [{ by: `deploy target "it" (${serviceType})`, suffixes: appSuffixes }];
      expect(implied([target("production", serviceType)])).toEqual(expected);
    },
  );

  test("implied apps are only those of targets that name the environment", () => {
    const deployments = [
      target("production", "grpc+restapi"),
      target("staging", "websocket+restapi"),
      target("production", "restapi", "dedicated-server"),
      target(undefined, "functions", "lambda"),
    ];
    expect(implied(deployments).map(({ suffixes }) => suffixes)).toEqual([["restapi", "grpcapi"], ["restapi"]]);
  });

  test("implied apps are those of the service configuration if no target names the environment", () => {
    expect(implied([target("staging", "grpc+restapi")])).toEqual(ofConfiguration);
    expect(implied([target("production", "functions", "lambda")])).toEqual(ofConfiguration);
    expect(implied(undefined)).toEqual(ofConfiguration);
  });

  test("implied apps include those of migrated legacy targets", () => {
    const legacy = { name: "old", type: "dedicated", region: "rack", runtime: "node22" };
    expect(implied([legacy], "dev")).toEqual([{ by: 'deploy target "old" (restapi)', suffixes: ["restapi"] }]);
  });

  test.each([null, "text", 1, [], {}, { deployments: {} }, { deployments: [null, 3, ["x"]] }])(
    "a document %j implies no apps",
    (document) => {
      expect(impliedApps(document, "production", vocabulary)).toEqual([]);
    },
  );

  test.each(["toString", "__proto__", 3, undefined])("the unknown name %j implies no apps", (unknown) => {
    expect(implied([target("production", unknown)])).toEqual([]);
    expect(implied([], "production", { serviceKind: unknown })).toEqual([]);
  });
});
