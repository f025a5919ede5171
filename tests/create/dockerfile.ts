import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { mustRun, runCommand } from "../../tools/packages/run-command.ts";

type Instruction = { readonly name: string; readonly text: string };

/** The stages of a Dockerfile, each with its instructions. */
function stagesOf(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const line of text.split("\n")) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    if (name !== "") stages.at(-1)?.push({ name, text: rest });
  }
  return stages;
}

/**
 * Carries out the steps of a project's Dockerfile with processes in place of containers. The first stage runs in a folder
 * of its own, with the programs of the image `node` and the registry. The second has a root that contains nothing but
 * Node with its libraries and what the Dockerfile copies, a network of its own that reaches nothing, the environment of
 * the image and, if this process may choose it, its user. Returns a sentence for each fault.
 */
export async function tryDockerfile(project: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const [build = [], image = []] = stagesOf(readFileSync(join(project, "Dockerfile"), "utf8"));
  const [builder, imageRoot] = [join(project, "../builder"), join(project, "../image")];
  const folder = join(imageRoot, "app");
  for (const each of [builder, folder]) mkdirSync(each, { recursive: true });
  try {
    await buildIn(builder, build, { project, env });
    for (const { text } of image.filter(({ name }) => name === "COPY")) {
      const [from = "", to = ""] = text.replaceAll(/--\S+ /g, "").split(" ");
      const target = to === "./" ? join(folder, basename(from)) : join(folder, to);
      cpSync(join(builder, from.replace("/app/", "")), target, { recursive: true, verbatimSymlinks: true });
    }
    return await startImage(imageRoot, image);
  } finally {
    for (const each of [imageRoot, builder]) rmSync(each, { recursive: true, force: true });
  }
}

type Source = { readonly project: string; readonly env: NodeJS.ProcessEnv };

async function buildIn(builder: string, steps: readonly Instruction[], { project, env }: Source): Promise<void> {
  for (const { name, text } of steps) {
    if (name === "COPY") copyInto(builder, project, text);
    if (name === "RUN") await mustRun("sh", ["-c", text], { cwd: builder, env });
  }
}

/** Copies what a COPY of the first stage names, without what `.dockerignore` leaves out. */
function copyInto(builder: string, project: string, text: string): void {
  const ignored = readFileSync(join(project, ".dockerignore"), "utf8").trim().split("\n");
  const names = text.split(" ").slice(0, -1);
  for (const name of names) {
    const from = join(project, name);
    // Of `package.json package-lock.json`, Docker would miss the second if there is none.
    if (!existsSync(from)) throw new Error(`The Dockerfile copies ${name}, which does not exist.`);
    cpSync(from, name === "." ? builder : join(builder, name), {
      recursive: true,
      filter: (path) => !ignored.includes(path.slice(project.length + 1)),
    });
  }
}

async function startImage(imageRoot: string, image: readonly Instruction[]): Promise<string[]> {
  const textOf = (name: string): string => image.findLast((each) => each.name === name)?.text ?? "";
  await addNode(imageRoot);
  const isRoot = process.getuid?.() === 0;
  const user = isRoot && textOf("USER") === "node" ? ["--setuid=1000", "--setgid=1000"] : [];
  makeOwn(join(imageRoot, "app"), isRoot);
  const pairs = textOf("ENV").split(" ");
  const settings: NodeJS.ProcessEnv = Object.fromEntries(
    pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]),
  );
  const env = { ...settings, PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" };
  const inside = (args: readonly string[]): string =>
    ["unshare", `--root=${imageRoot}`, "--wd=/app", ...user, ...args].map(quote).join(" ");
  const [, check = "[]"] = /CMD (\[.*\])$/.exec(textOf("HEALTHCHECK")) ?? [];
  const script = `ip link set lo up
    ${inside(JSON.parse(textOf("CMD")) as string[])} & program=$!
    for try in $(seq 100); do
      if ${inside(JSON.parse(check) as string[])}; then kill $program; wait $program; exit 0; fi
      sleep 0.1
    done
    exit 1`;
  const namespaces = ["--net", "--mount", "--pid", "--fork", `--mount-proc=${join(imageRoot, "proc")}`];
  const args = [...namespaces, ...(isRoot ? [] : ["--map-root-user"]), "sh", "-c", script];
  const { code, stderr } = await runCommand("unshare", args, { cwd: "/", env });
  const faults = code === 0 ? [] : [`The health check of the Dockerfile failed: ${stderr.slice(-500)}`];
  if (textOf("USER") === "") faults.push("The image would run as root.");
  return faults;
}

/** Puts Node and the libraries that it is linked with into an empty root. */
async function addNode(imageRoot: string): Promise<void> {
  const linked = await mustRun("ldd", [process.execPath], { cwd: "/" });
  for (const [, library = ""] of linked.matchAll(/(\/\S+) \(0x/g)) {
    mkdirSync(join(imageRoot, dirname(library)), { recursive: true });
    copyFileSync(library, join(imageRoot, library));
  }
  for (const each of ["usr/local/bin", "proc", "tmp"]) mkdirSync(join(imageRoot, each), { recursive: true });
  copyFileSync(process.execPath, join(imageRoot, "usr/local/bin/node"));
}

/** Makes the folder of data, and gives the user of the image what the Dockerfiles give it. */
function makeOwn(folder: string, isRoot: boolean): void {
  mkdirSync(join(folder, ".data"), { recursive: true });
  const own = [".data", ".next"].filter((name) => existsSync(join(folder, name)));
  if (isRoot) for (const name of own) chownAll(join(folder, name));
}

function chownAll(path: string): void {
  chownSync(path, 1000, 1000);
  for (const below of readdirSync(path, { recursive: true, encoding: "utf8" }))
    lchownSync(join(path, below), 1000, 1000);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
