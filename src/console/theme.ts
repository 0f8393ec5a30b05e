/** Runs before the first paint. It is a separate file because the policy of the page allows no inline script. */
import { applyTheme, storedTheme } from "./state/theme.ts";

applyTheme(storedTheme());
