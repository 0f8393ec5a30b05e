import express from "express";
import { answerNode } from "../answering.ts";
import type { CreateApplication } from "../framework.ts";

export const createApplication: CreateApplication = async (routes) => {
  const app = express().disable("x-powered-by");
  for (const route of routes) {
    const method = route.method.toLowerCase() as "get" | "post" | "delete";
    app[method](route.path, (request, response) => answerNode(route, request.params, request, response));
  }
  return { listener: app };
};
