import { render } from "preact";
import { App } from "./App.tsx";
import { createPage } from "./console.ts";

const root = document.querySelector("#root");
if (root !== null) {
  // Removes the message for browsers that do not load this script.
  root.replaceChildren();
  render(<App page={createPage()} />, root);
}
