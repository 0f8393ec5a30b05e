/** 130 mistakes of users. Each answer says what is wrong and where, what is accepted, and what to do next. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { endProcesses } from "../support/pm2-daemon.ts";
import { makeShop } from "../support/shop.ts";
import { svcmProgram } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The command, and what the answer has to name: the place. */
const MISTAKES = `
sttaus | sttaus
lsit | lsit
up | svcm apply
drfit | drfit
depoly | depoly
env gte | env gte
env lisst | env lisst
kill | kill
save | svcm boot
flush | svcm logs
unstartup | svcm boot
jlist | svcm ls
undo | rollback
frobnicate | frobnicate
ls --jsn | --jsn
ls -o tabel | tabel
ls extra | extra
ls --root /nowhere | /nowhere
ls --fields name | --json
show | NAME
show ghost | ghost
logs ghost | ghost
logs --limit many | many
logs --since yesterday | yesterday
logs --until never | never
logs --level loud | loud
logs --regexp ( | (
logs --grep a --regexp b | --grep
logs --stream both | both
logs --follow --until 1h | --until
why ghost | ghost
events --cause meteor | meteor
events --kind party | party
events --limit 2000 | --limit
events --since tomorrow | tomorrow
metrics show -e prodution | prodution
metrics history --host api | --host
metrics history --since x | x
metrics history --csv --json | --csv
metrics watch --interval 0 | --interval
metrics watch --url ftp://x | ftp
plan -e prodution | prodution
plan --app ghost | ghost
plan --from nowhere | nowhere
plan --out /nowhere/plan.json | /nowhere
plan --dry-run | --dry-run
apply --dry-run | svcm plan
apply --app ghost --yes | ghost
apply --plan x --yes | x
apply --plan-file nothing.json --yes | nothing.json
apply --plan-file broken.yaml --yes | broken.yaml
apply --timeout 5 --yes | --timeout
apply --service ghost --yes | ghost
deploy nowhere --yes | nowhere
deploy --timeout forever | forever
rollback nope --yes | nope
releases show | RELEASE
releases show nope | nope
start | NAME
start ghost | ghost
start --ecosystem -e nope | nope
restart all | all
restart 0 | 0
restart --id x | x
restart api --timeout 2h | 2h
restart api --environment dev | --ecosystem
stop | NAME
stop --namespace default | --yes
reload ghost | ghost
scale | NAME
scale api many | many
scale api 999999 | 999999
scale ghost 2 | ghost
delete ghost --yes | ghost
wait ghost | ghost
run | NAME
run ghost | ghost
run api | api
env get GHOST | GHOST
env get -e prodution | prodution
env get --app ghost | ghost
env set | KEY
env set PAGE_SIZE | PAGE_SIZE
env set =3 | =3
env set PAGE_SIZE=viele | PAGE_SIZE
env set PAGE_SIZE= | PAGE_SIZE
env set PAGE_SIZ=3 | PAGE_SIZ
env set DATABASE_URL=x | DATABASE_URL
env set LOG_LEVEL=debug | LOG_LEVEL
env set PAGE_SIZE=1 PAGE_SIZE=2 | PAGE_SIZE
env unset GHOST | GHOST
env unset DATABASE_URL | DATABASE_URL
env diff | FROM
env diff dev | TO
env diff dev stagging | stagging
env check --file missing.env | missing.env
env edit | terminal
env run | --
env run --app ghost -- true | ghost
env run -- no-such-program | no-such-program
env export --format yml | yml
env export --all | terminal
env template -e ghost | ghost
keys confirm | KEY
keys confirm GHOST | GHOST
keys set-tier public PAGE_SIZE | public
keys set-tier editable GHOST | GHOST
startup check | ENTRYPOINT
startup check rset | rset
check missing.yaml | missing.yaml
check --format html | html
validate | deployments.yaml
validate broken.yaml | broken.yaml
validate a.yaml --file b.yaml | a.yaml
explain GHOST_CODE | GHOST_CODE
targets list | deployments.yaml
targets remove ghost --yes --file good.yaml | ghost
targets edit ghost --file good.yaml | ghost
schema svcmm | svcmm
migrate --file missing.yaml | missing.yaml
token create | NAME
token create bob | role
token create bob --role king | king
token create bob --role viewer --expires never | never
token revoke ghost | ghost
approve NOPE | NOPE
alerts test | svcm.yaml
serve --port 70000 | 70000
completion csh | csh
boot enable --user | --user
nodes list | nats
`
  .trim()
  .split("\n")
  .map((row) => row.split(" | ") as [string, string]);

const GOOD = "version: 1\ndeployments: []\n";
const [root, home] = [temporaryFolder(afterAll), temporaryFolder(afterAll)];
const env = { PM2_HOME: home, NODE_ENV: "dev" };
beforeAll(async () => {
  makeShop(root, await freePort(), "keys set-tier editable PAGE_SIZE");
  writeFileSync(join(root, "broken.yaml"), "deployments: [\n");
  writeFileSync(join(root, "good.yaml"), GOOD);
  await svcmProgram(["apply", "--yes", "--allow-dirty"], { root, env });
});
afterAll(() => endProcesses(home));

const ACCEPTED = /accepted|for example|such as|did you mean|--help|svcm [a-z]+|between|give |add |write |only /i;

/** A separate line, or a command in the message. The last line names the code. */
const NEXT = /^(?:Hint|Next): .|^(?!\w+ \(svcm explain).*\bsvcm (?!explain)[a-z]+/m;

test("at least 120 of 130 answers are complete, and none shows a stack or a secret", async () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(130);
  const incomplete: string[] = [];
  const odd: string[] = [];
  for (const [command, place] of MISTAKES) {
    const { code, stdout, stderr } = await svcmProgram(command.split(" "), { root, env });
    const text = `${stdout}${stderr}`;
    const lacks = [
      ...(/^(?:Error|ERROR): [^\n]{12}/m.test(text) && !/^Error: Invalid request\.$/m.test(text) ? [] : ["what"]),
      ...(text.toLowerCase().includes(place.toLowerCase()) ? [] : ["where"]),
      ...(ACCEPTED.test(text) ? [] : ["accepted"]),
      ...(NEXT.test(text) ? [] : ["next"]),
    ];
    if (lacks.length > 0) incomplete.push(`svcm ${command} (exit ${code}): ${lacks.join(", ")}\n${text.slice(0, 400)}`);
    if (![1, 2, 3].includes(code ?? -1)) odd.push(`${command}: exit ${code}`);
    if (/^ +at .*:\d+:\d+/m.test(text)) odd.push(`${command}: a stack`);
    if (text.includes("secret-word")) odd.push(`${command}: a secret`);
  }
  console.log(
    `${MISTAKES.length - incomplete.length} of ${MISTAKES.length} answers are complete.\n${incomplete.join("\n")}`,
  );
  expect(MISTAKES.length - incomplete.length, incomplete.join("\n")).toBeGreaterThanOrEqual(MISTAKES.length - 10);
  expect(odd).toEqual([]);
});
