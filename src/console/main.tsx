import { render } from "preact";
import { App } from "./App.tsx";
import { createPage } from "./console.ts";

const root = document.querySelector("#root");
if (root !== null) {
  // Removes the line for browsers that do not get this script.
  root.replaceChildren();
  render(<App page={createPage()} />, root);
}
