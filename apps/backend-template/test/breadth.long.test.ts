/** The tests of these files with every value for every entrypoint; an ordinary run has one for each further entrypoint. */
import "./authentication.test.ts";
import "./guardrails.test.ts";
