import { expect, test } from "vitest";
import { metricsFormat } from "../../src/server/response.ts";

const PROMETHEUS_2 =
  "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
const PROMETHEUS_3 =
  "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";

test.each([
  [undefined, "prometheus"],
  ["", "prometheus"],
  ["*/*", "prometheus"],
  ["text/html, */*;q=0.8", "prometheus"],
  ["application/json", "prometheus"],
  ["text/plain;version=0.0.4", "prometheus"],
  ["application/openmetrics-text", "openmetrics"],
  ["Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", "openmetrics"],
  ["application/openmetrics-text; version=2.0.0", "prometheus"],
  ["application/openmetrics-text;q=0", "prometheus"],
  ["application/openmetrics-text;q=x, text/plain", "prometheus"],
  ["text/plain;q=0.9, application/openmetrics-text;q=0.5", "prometheus"],
  ["text/plain;q=0.5, application/openmetrics-text;q=0.9", "openmetrics"],
  [PROMETHEUS_2, "openmetrics"],
  [PROMETHEUS_3, "openmetrics"],
])("Accept %j is answered with %s", (accept, format) => {
  expect(metricsFormat(accept)).toBe(format);
});
