import { projects } from "../support/own-projects.ts";
import { testStarts } from "./starts.ts";

const SHORT = new Set(["Express, env_production block", "monorepo with three services"]);

testStarts(Object.fromEntries(Object.entries(projects).filter(([name]) => SHORT.has(name))));
