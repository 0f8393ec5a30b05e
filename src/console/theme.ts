/** Runs before the first paint, as a file of its own: the policy of the page allows no inline script. */
import { applyTheme, storedTheme } from "./state/theme.ts";

applyTheme(storedTheme());
