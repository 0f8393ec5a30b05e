import { render } from "preact";
import { App } from "./App.tsx";
import { createPage } from "./console.ts";

const root = document.querySelector("#root");
if (root !== null) {
  // The line that stays where this script is not loaded.
  root.replaceChildren();
  render(<App page={createPage()} />, root);
}
