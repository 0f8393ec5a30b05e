import { expect, test } from "vitest";
import { loadedPaths, settingsInTexts, settingsInValues } from "../../../src/core/running/loaded-paths.ts";

const app = { args: [], cwd: "/srv/app", env: {}, interpreter: "node", interpreterArgs: [] };

test.each([
  ["a module before the script", { interpreterArgs: ["--require", "./first.js"] }, ["/srv/app/first.js"], []],
  ["with an equals sign", { interpreterArgs: ["--import=../shared/trace.mjs"] }, ["/srv/shared/trace.mjs"], []],
  ["as the URL of a file", { interpreterArgs: ["--import", "file:///opt/trace.mjs"] }, ["/opt/trace.mjs"], []],
  ["in NODE_OPTIONS", { env: { NODE_OPTIONS: "-r /opt/trace.js --inspect" } }, ["/opt/trace.js"], []],
  ["a program as argument", { args: ["run", "../jobs/main.ts", "/var/lib/app"] }, ["/srv/jobs/main.ts"], []],
  ["folders of modules of other languages", { env: { PYTHONPATH: "lib", RUBYLIB: "/opt/rb" } }, [], ["lib", "/opt/rb"]],
  ["folders of modules", { env: { NODE_PATH: "lib:/opt/lib" } }, [], ["/srv/app/lib", "/opt/lib"]],
  ["an interpreter of the team", { interpreter: "./bin/run" }, ["/srv/app/bin/run"], []],
  ["an interpreter of the system", { interpreter: "/usr/local/bin/node" }, [], []],
  ["an env file, which is compared by its values", { interpreterArgs: ["--env-file=./a/.env"] }, [], []],
])("%s", (_name, more, files, folders) => {
  const found = loadedPaths({ ...app, ...more });
  expect(found.files).toEqual(expect.arrayContaining(files));
  expect(found.files.filter((path) => !path.includes("env"))).toHaveLength(files.length);
  expect(found.folders).toEqual(folders.map((folder) => (folder.startsWith("/") ? folder : `/srv/app/${folder}`)));
});

test.each([
  ["below a web root", { args: ["/var/www/shared/prod.yaml"] }, ["/var/www/shared/prod.yaml"]],
  ["an argument", { args: ["-c", "config/prod.yaml"] }, ["/srv/app/config/prod.yaml"]],
  ["with an equals sign", { args: ["--config=/etc/shop/prod.json"] }, ["/etc/shop/prod.json"]],
  [
    "a variable",
    { env: { CONFIG_FILE: "../shop.toml", TLS_KEY: "/etc/shop/key.pem" } },
    ["/srv/shop.toml", "/etc/shop/key.pem"],
  ],
  ["a folder", { env: { NODE_CONFIG_DIR: "/etc/shop", UPLOAD_DIR: "/srv/files" } }, ["/etc/shop"]],
  ["output", { args: ["/var/lib/shop/a.json"], env: { STATE_FILE: "./state.json", OUT: "tmp/a.yaml" } }, []],
  [
    "addresses, types and texts",
    { env: { API: "https://a.example/b.json", TYPE: "application/json", LIST: "a.json,b.json" } },
    [],
  ],
])("settings: %s", (_name, more, settings) => {
  expect(loadedPaths({ ...app, ...more }).settings).toEqual(settings);
});

test.each([
  ["an option", "node server.js --config config/prod.json", ["/srv/app/config/prod.json"]],
  ["a variable", 'cross-env SHOP_CONFIG="conf/a.toml" node a.js', ["/srv/app/conf/a.toml"]],
  ["a folder", "NODE_CONFIG_DIR=/etc/shop node a.js", ["/etc/shop"]],
  ["below another folder", "cd api && node a.js -c=../b.yaml; echo c.json", ["/srv/app/b.yaml", "/srv/app/api/c.json"]],
  ["what a shell sources", ". /etc/default/shop; source ../live && node a.js", ["/etc/default/shop", "/srv/live"]],
  ["what a shell reads", "export $(cat live | xargs); set -a\n. '/etc/shop.conf'", ["/srv/app/live", "/etc/shop.conf"]],
  [
    "what a shell reads by a sign",
    "while read -r l; do :; done < live; echo $(<other)",
    ["/srv/app/live", "/srv/app/other"],
  ],
  ["what a shell writes, and the options of a program", "cat > out <<END\nnode -a -b; . ./$X", []],
  ["neither a path with a variable nor output", "node a.js $HOME/a.json > data/b.json", []],
])("settings in a command: %s", (_name, text, settings) => {
  expect(settingsInTexts([text], "/srv/app")).toEqual(settings);
});

test("settings in the values of an env file", () => {
  expect(settingsInValues({ CONFIG_PATH: "./a.yaml", STATE_FILE: "b.json" }, "/srv/app")).toEqual(["/srv/app/a.yaml"]);
});
