import { projects } from "../support/own-projects.ts";
import { testStarts } from "./starts.ts";

/** The long run has all of them. */
const SAMPLE = "monorepo with three services";

testStarts(Object.fromEntries(Object.entries(projects).filter(([name]) => name === SAMPLE)));
