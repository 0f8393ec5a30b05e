/** The tests of these files with the number of runs of a long run. */
import "./adapters/files/stale-lock.test.ts";
import "./deployments/diff/laws.test.ts";
import "./deployments/hostile.test.ts";
import "./deployments/schema.test.ts";
import "./env/document.test.ts";
import "./env/edit.test.ts";
import "./env/removal.test.ts";
import "./words/json-scan.test.ts";
