import { projects } from "../support/own-projects.ts";
import { testStarts } from "./starts.ts";

testStarts(projects);
