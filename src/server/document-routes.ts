import {
  declarationsBody,
  declarationsPlanBody,
  declarationsPlanRequest,
  declarationsWriteRequest,
} from "../core/api/declarations.ts";
import * as body from "../core/api/bodies.ts";
import {
  declarationsPlan,
  declarationsRead,
  declarationsWrite,
  deploymentsValidate,
  type ErrorKind,
} from "../core/index.ts";
import { bodyRefusals, operationRoute, type Route } from "./route.ts";

const documentRefusals: readonly ErrorKind[] = ["SUITE_FILE_FAILED", "FACT_INVALID"];

export const documentRoutes: readonly Route[] = [
  operationRoute("POST", "/api/validate", deploymentsValidate, {
    summary: "Validate a deployments document; nothing is written.",
    tag: "documents",
    description: "The body may also be YAML, as `application/yaml`; then each issue has its line and column.",
    body: body.deploymentsRequest,
    takesYaml: true,
    response: body.deploymentsVerdictBody,
    refusals: [...bodyRefusals, "FACT_INVALID"],
  }),
  operationRoute("GET", "/api/declarations", declarationsRead, {
    summary: "Read the deployments document of the repository.",
    tag: "documents",
    description: "With its verdict and the commit of the repository. If there is no file, `exists` is false.",
    response: declarationsBody,
    hasEntityTag: true,
    refusals: documentRefusals,
  }),
  operationRoute("POST", "/api/declarations", declarationsWrite, {
    summary: "Write a draft into the deployments document of the repository: all of it, or nothing.",
    tag: "documents",
    description: "Only the lines of the differences change. A draft that adds errors is refused.",
    body: declarationsWriteRequest,
    takesDocument: true,
    ifMatch: "ifMatch",
    response: declarationsBody,
    hasEntityTag: true,
    refusals: [...documentRefusals, ...bodyRefusals, "SUITE_FILE_CHANGED", "AUDIT_FAILED"],
  }),
  operationRoute("POST", "/api/declarations/plan", declarationsPlan, {
    summary: "Compare a draft with the deployments document of the repository; nothing is written.",
    tag: "documents",
    description: "In words, and as a patch for `git apply`. With `from`, compares the draft with that document.",
    body: declarationsPlanRequest,
    takesDocument: true,
    response: declarationsPlanBody,
    refusals: [...documentRefusals, ...bodyRefusals],
  }),
];
