import express from "express";
import { respondOnNode } from "../respond-on-node.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const app = express().disable("x-powered-by");
  for (const route of routes) {
    const method = route.method.toLowerCase() as "get" | "post" | "delete";
    app[method](route.path, (request, response) => respondOnNode(route, request.params, request, response));
  }
  return { listener: app };
};
