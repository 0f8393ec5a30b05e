import { inputs } from "../../core/contract/inputs.ts";
import { parametersOf } from "../query.ts";
import type { Route } from "../route.ts";

export interface PageFacts {
  readonly version: string;
  readonly routes: readonly Route[];
  readonly stylePath: string;
  readonly iconPath: string;
}

/** What the server says about itself at `/`: what this is, what it offers, where to go on. */
export function page({ version, routes, stylePath, iconPath }: PageFacts): string {
  const api = routes.filter((route) => route.response !== undefined);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Service Management</title>
<link rel="icon" href="${iconPath}" type="image/svg+xml">
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
<header>
<img src="${iconPath}" alt="" width="40" height="40">
<div>
<h1>Service Management</h1>
<p>svcm ${escape(version)}</p>
</div>
</header>
<main>
<p class="lead">Describes, checks and controls a running backend service. Here it serves the runtime environment files: what they hold, whether they are right, and who changed what.</p>
<section aria-labelledby="api">
<h2 id="api">API</h2>
<ul class="routes">
${api.map(routeItem).join("\n")}
</ul>
<p class="note">Answers are JSON. Where the service has a token, writes carry it as <code>Authorization: Bearer</code>; on an address that other machines can reach, reads do, too.</p>
</section>
<section aria-labelledby="cli">
<h2 id="cli">Command line</h2>
<p>The same operations, with the same answers, where the files are:</p>
<pre tabindex="0"><code>svcm --help
svcm env get --environment dev
svcm env check --environment staging</code></pre>
</section>
</main>
</body>
</html>
`;
}

function routeItem(route: Route): string {
  const { method, path, summary } = route;
  const parameters = "operation" in route ? parametersOf(inputs[route.operation.id], route.query ?? []) : [];
  const query =
    parameters.length === 0
      ? ""
      : `<span class="query">?${parameters.map(({ name }) => `${name}=`).join("&amp;")}</span>`;
  const isLink = method === "GET" && parameters.every(({ isRequired }) => !isRequired);
  const name = isLink ? `<a href="${escape(path)}">${escape(path)}</a>` : escape(path);
  return `<li><code><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${name}${query}</span></code><span class="summary">${escape(summary)}</span></li>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
