import { render } from "preact";
import { App } from "./App.tsx";
import { createPage } from "./console.ts";

const root = document.querySelector("#root");
if (root !== null) render(<App page={createPage()} />, root);
