#!/usr/bin/env node
void import("tsx/esm/api").then(({ register }) => register()).then(() => import("../src/cli/dev.ts"));
