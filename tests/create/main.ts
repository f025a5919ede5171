// `pnpm test:create [--install] [--offline] [--all] [--managers npm,pnpm,yarn,yarn-berry,bun] [--templates …] [--nodes 22,24,26]`:
// publishes all packages in a registry on this machine, and goes the way of a new user from there: create, install, test, dev, one
// request, one change, build. It tries each template with npm, each package manager and each version of Node with the template
// `service`; with `--all`, each template with each package manager. The caches of the package managers are empty at first. Prints
// seconds and, in parentheses, processor time; `total` is create, install, test, and dev to the first answer. `--install` installs
// what is missing. `--offline` cuts the network but for the registry, once a run without it has filled that.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "../../tools/packages/run-command.ts";
import { startRegistry } from "../../tools/registry/registry.ts";
import type { Registry } from "../../tools/registry/registry.ts";
import { makeNextRelease, publishRelease } from "../../tools/release/next-release.ts";
import { tryDockerfile } from "./dockerfile.ts";
import type { Cost } from "./program.ts";
import { addPackages, goWay, steps } from "./project.ts";
import type { Costs, Way } from "./project.ts";
import { makePath, managers, needProgramsOfUsers, nodeProgram, nodes } from "../../tools/registry/user-programs.ts";
import type { Manager, Node } from "../../tools/registry/user-programs.ts";

const root = join(import.meta.dirname, "../..");
const templates = ["service", "worker", "library", "next"] as const;
const { values } = parseArgs({
  options: {
    install: { type: "boolean" },
    offline: { type: "boolean" },
    all: { type: "boolean" },
    managers: { type: "string" },
    templates: { type: "string" },
    nodes: { type: "string" },
  },
});

function chosen<Name extends string>(value: string | undefined, all: readonly Name[]): Name[] {
  return value === undefined ? [...all] : all.filter((name) => value.split(",").includes(name));
}

const usual = { manager: "npm", node: "24", template: "service" } as const;

/** Returns the ways to try: one difference from npm, Node 24 and `service` each, unless all are wanted. */
function waysToTry(): Way[] {
  const [names, programs] = [chosen(values.templates, templates), chosen(values.managers, managers)];
  const pairs = names.flatMap((template) => programs.map((manager) => ({ ...usual, template, manager })));
  return [
    ...pairs.filter((way) => values.all === true || isPlain(way)),
    ...chosen(values.nodes, nodes).map((node) => ({ ...usual, node })),
  ].filter((way, index, all) => all.findIndex((each) => nameOf(each) === nameOf(way)) === index);
}

/** True for a way that differs from the usual one in its template or its package manager, and not in both. */
const isPlain = ({ manager, template }: Way): boolean => manager === "npm" || template === "service";

const nameOf = ({ manager, node, template }: Way): string => `${template} with ${manager} on Node ${node}`;

const faults: string[] = [];

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const column = ({ elapsed, processor }: Cost): string => `${elapsed.toFixed(1)} (${processor.toFixed(1)})`.padStart(15);

/** The processor time in seconds that a user with npm may need for the first answer of the template `service`. */
const mostProcessor = 60;

/** Returns the cost of a way until the first answer. */
function totalOf({ create, install, test, dev }: Costs): Cost {
  const all = [create, install, test, dev];
  const sum = (key: keyof Cost): number => all.reduce((total, cost) => total + cost[key], 0);
  return { elapsed: sum("elapsed"), processor: sum("processor") };
}

type Programs = { readonly node: Node; readonly manager: Manager };

function environmentOf(registry: Registry, folder: string, { node, manager }: Programs): NodeJS.ProcessEnv {
  return {
    HOME: registry.home,
    PATH: makePath(join(folder, `bin-${node}-${manager}`), node, manager),
    npm_config_registry: registry.url,
    // What was published a moment ago is too young for pnpm's default.
    pnpm_config_minimum_release_age: "0",
    NEXT_TELEMETRY_DISABLED: "1",
    LANG: "C.UTF-8",
  };
}

async function tryWay(way: Way, registry: Registry, folder: string): Promise<void> {
  const place = join(folder, `${way.template}-${way.manager}-${way.node} é`);
  const env = environmentOf(registry, folder, way);
  try {
    const costs = await goWay(way, { folder: place, env });
    const total = totalOf(costs);
    print(`${nameOf(way).padEnd(34)}${[...steps.map((step) => costs[step]), total].map(column).join("")}`);
    if (way.manager === "npm" && way.template === "service" && total.processor > mostProcessor) {
      faults.push(`${nameOf(way)}: the first answer took more than ${mostProcessor} s of processor time.`);
    }
    if (way.node === "24" && way.template !== "library" && isPlain(way)) {
      // The image has npm and Yarn 1, whatever the user has.
      const imageEnv = environmentOf(registry, folder, { node: "24", manager: "yarn" });
      const found = await tryDockerfile(join(place, "my-agents"), imageEnv);
      faults.push(...found.map((fault) => `${nameOf(way)}: ${fault}`));
    }
    if (nameOf(way) === nameOf(usual)) await addPackages({ folder: place, env });
  } catch (error) {
    faults.push(`${nameOf(way)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Runs a command with a loopback interface as its only network. Returns its exit code. */
function runWithoutNetwork(command: readonly string[]): number {
  const options = process.getuid?.() === 0 ? ["--net"] : ["--net", "--map-root-user"];
  const args = [...options, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...command];
  return spawnSync("unshare", args, { stdio: "inherit" }).status ?? 1;
}

/** Without a registry the project is written, and a sentence says what is missing. */
async function tryOffline(registry: Registry, folder: string): Promise<void> {
  const env = {
    ...environmentOf(registry, folder, { node: "24", manager: "npm" }),
    npm_config_registry: "http://127.0.0.1:9/",
  };
  const options = { cwd: folder, env: { ...env, npm_config_user_agent: "npm/11.19.1", npm_config_fetch_retries: "0" } };
  const main = join(root, "packages/create-troupe/dist/main.js");
  const { code, stderr } = await runCommand(nodeProgram("24"), [main, "offline", "--yes"], options);
  const sentence = "The dependencies are not installed, because npm could not reach its registry.";
  if (code !== 1 || !stderr.includes(sentence)) faults.push(`Without a registry: exit code ${code}, ${stderr}`);
}

if (values.offline === true) {
  const args = [
    ...process.execArgv,
    import.meta.filename,
    ...process.argv.slice(2).filter((arg) => arg !== "--offline"),
  ];
  process.exit(runWithoutNetwork([process.execPath, ...args]));
}
needProgramsOfUsers(values.install === true);
const registry = await startRegistry({ mayInstall: values.install === true });
const folder = await mkdtemp(join(tmpdir(), "troupe-create-"));
try {
  const workspace = join(folder, "workspace");
  await makeNextRelease(root, workspace);
  await publishRelease(workspace, registry.environment);
  print(`${"".padEnd(34)}${[...steps, "total"].map((name) => name.padStart(15)).join("")}`);
  for (const way of waysToTry()) await tryWay(way, registry, folder);
  await tryOffline(registry, folder);
} finally {
  await registry.stop();
  await rm(folder, { recursive: true, force: true });
}
for (const fault of faults) print(fault);
if (faults.length > 0) process.exitCode = 1;
