import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { buildPackages, packPackages } from "../../tools/packages/pack-packages.ts";
import { MissingServer } from "../../tools/services/service.ts";
import { checkServer } from "./check-server.ts";
import { familyOf, stopReaders } from "./stopped-readers.ts";
import type { Held } from "./stopped-readers.ts";
import type { VisitResult } from "./visit.ts";
import { WatchedVendor } from "./watched-vendor.ts";

/** The runtimes and Next.js, in a folder of their own. The version in its name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "runtimes-1");
export { folder as runtimesFolder };

const packages = [
  "@oven/bun-linux-x64@1.4.5",
  "@deno/linux-x64-glibc@2.9.6",
  "esbuild@0.28.0",
  "miniflare@4.20260426.0",
  "next@16.4.6",
  "react@19.3.1",
  "react-dom@19.3.1",
];

const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Ensures that the runtimes are installed; throws `MissingServer` if they are not and may not be. */
export function needRuntimes(mayInstall: boolean): void {
  if (existsSync(join(folder, "node_modules"))) return;
  if (!mayInstall) throw new MissingServer("pass --install to have Bun, Deno, workerd and Next.js installed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  try {
    install(packages);
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the runtimes could not be installed with npm");
  }
}

function install(names: readonly string[]): void {
  execFileSync("npm", ["install", ...quiet, ...names], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** The programs of the runtimes: one agent over HTTP, whose model is the vendor of this process. */
const programs: Readonly<Record<string, string>> = {
  "checked.mjs": stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "checked-service.ts"), "utf8")),
  "agent.mjs": `
    import { createHandler } from "@troupe/core/service";
    import { makeChecked } from "./checked.mjs";
    // What is measured is held, and not garbage that a runtime with much memory leaves for later.
    const collect = globalThis.Bun === undefined ? globalThis.gc : () => Bun.gc(true);
    if (collect !== undefined) setInterval(() => collect(), 1000).unref?.();
    export function makeHandler({ VENDOR: vendor, BARE: isBare }, options) {
      if (isBare) return makeBare(vendor);
      const { service, protocols } = makeChecked(vendor);
      return createHandler(service, protocols, options);
    }
    // Passes the vendor's bytes on, each when its reader asks for it.
    function makeBare(vendor) {
      const answer = async () => {
        const left = new AbortController();
        const sent = { method: "POST", body: '{"stream":true}', signal: left.signal };
        const reader = (await fetch(vendor + "/v1/chat/completions", sent)).body.getReader();
        const pull = async (controller) => {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        };
        const body = new ReadableStream({ pull, cancel: () => left.abort() }, { highWaterMark: 0 });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      };
      return Object.assign(answer, { fetch: answer, GET: answer, POST: answer, PATCH: answer, DELETE: answer });
    }`,
  "bun.mjs": `
    import { makeHandler } from "./agent.mjs";
    const { fetch } = makeHandler(process.env);
    console.log("port " + Bun.serve({ port: 0, hostname: "127.0.0.1", fetch }).port);`,
  "deno.mjs": `
    import { makeHandler } from "./agent.mjs";
    const onListen = ({ port }) => console.log("port " + port);
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, makeHandler(Deno.env.toObject()));`,
  "worker.mjs": `
    import { makeHandler } from "./agent.mjs";
    let handler;
    export default { fetch: (request, env, context) => (handler ??= makeHandler(env))(request, env, context) };`,
  "workerd.mjs": `
    import { buildSync } from "esbuild";
    import { Miniflare } from "miniflare";
    const outfile = "worker.bundle.mjs";
    // CommonJS modules ask for those of Node.
    const js = 'import { createRequire } from "node:module"; const require = createRequire("/");';
    const form = { bundle: true, format: "esm", platform: "node", conditions: ["workerd"], banner: { js } };
    buildSync({ entryPoints: ["worker.mjs"], outfile, ...form, logLevel: "error" });
    const compatibility = { compatibilityDate: "2026-04-01", compatibilityFlags: ["nodejs_compat"] };
    const bindings = { VENDOR: process.env.VENDOR, BARE: process.env.BARE ?? "" };
    const miniflare = new Miniflare({ port: 0, modules: true, scriptPath: outfile, bindings, ...compatibility });
    console.log("port " + (await miniflare.ready).port);`,
  "app/api/[...path]/route.js": `
    import { makeHandler } from "../../../agent.mjs";
    export const dynamic = "force-dynamic";
    export const { GET, POST, PATCH, DELETE } = makeHandler(process.env, { basePath: "/api" });`,
  "app/layout.js": `
    export default ({ children }) => <html><body>{children}</body></html>;`,
};

/** A program that serves, and the path of its API. */
type Runtime = {
  readonly base?: string;
  /** The reason why durable runs, resumed streams and the end of the service are left out. */
  readonly storedRunsGap?: string;
  readonly start: (env: NodeJS.ProcessEnv) => ChildProcess;
};

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });

const inModules = (...path: string[]): string => join(folder, "node_modules", ...path);

const runtimes: Readonly<Record<string, Runtime>> = {
  bun: { start: (env) => run(executable("@oven/bun-linux-x64", "bin", "bun"), ["bun.mjs"], env) },
  deno: {
    start: (env) =>
      run(executable("@deno/linux-x64-glibc", "deno"), ["run", "-A", "--v8-flags=--expose-gc", "deno.mjs"], env),
  },
  workerd: {
    storedRunsGap:
      "a Worker cannot wait in one request for what another has begun, or end it: no durable runs, no resumed streams, no end of others' streams",
    start: (env) => run(process.execPath, ["workerd.mjs"], env),
  },
  "next.js": {
    base: "/api",
    start(env) {
      const next = inModules("next", "dist", "bin", "next");
      const quietEnv = { ...env, NEXT_TELEMETRY_DISABLED: "1" };
      const { status, stderr } = spawnSync(process.execPath, [next, "build"], {
        cwd: folder,
        env: { ...process.env, ...quietEnv },
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(`it could not be built: ${stderr.slice(0, 1000)}`);
      return run(process.execPath, ["--expose-gc", next, "start", "-p", "0", "-H", "127.0.0.1"], quietEnv);
    },
  },
};

/** Returns the path of a program from npm, which may have come without the right to be executed. */
export function executable(...path: string[]): string {
  const file = inModules(...path);
  chmodSync(file, 0o755);
  return file;
}

/** Serves the checked service on Bun, Deno, workerd and Next.js, and checks every subject of HTTP on each. */
export async function visitOnRuntimes(): Promise<VisitResult> {
  const [faults, remarks]: [string[], string[]] = [[], []];
  let cases = 0;
  await installOwn();
  for (const [name, text] of Object.entries(programs)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `${text.trim()}\n`);
  }
  for (const [name, runtime] of Object.entries(runtimes)) {
    try {
      const bare = await onRuntime(runtime, { BARE: "1" }, stopReaders);
      const { found, held } = await onRuntime(runtime, {}, async (url, vendor, program) => {
        let kept: Held | undefined;
        const beforeEnd = async (): Promise<void> => {
          kept = await stopReaders(url, vendor, program);
        };
        const checked = await checkServer(url, vendor, { beforeEnd, keepsRuns: runtime.storedRunsGap === undefined });
        return { found: checked, held: kept };
      });
      cases += found.cases + 1;
      faults.push(...[...found.faults, ...judge(held, bare)].map((fault) => `${name}: ${fault}`));
      remarks.push(
        `${name}: ${found.cases} cases, ${found.faults.length} faults; a client that leaves ends the model's call after ${found.leftMs} ms (median of 10); ${found.passedMegabytes} of 200 MB pass a stopped reader; 200 stopped readers of 3 MB: ${inWords(held)}, a bare handler ${inWords(bare)}`,
      );
      if (runtime.storedRunsGap !== undefined) remarks.push(`${name}: gap: ${runtime.storedRunsGap}`);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { cases, faults, remarks };
}

const inWords = (held: Held | undefined): string => `${held?.stopped} MB resident, ${held?.before} before`;

/** Calls a function with a program of a runtime and the vendor of its model, and ends both. */
async function onRuntime<Result>(
  { base = "", start }: Runtime,
  variables: NodeJS.ProcessEnv,
  use: (url: string, vendor: WatchedVendor, program: ChildProcess) => Promise<Result>,
): Promise<Result> {
  const vendor = await WatchedVendor.listen();
  let program: ChildProcess | undefined;
  try {
    program = start({ VENDOR: vendor.url, ...variables });
    return await use(`http://127.0.0.1:${await portOf(program)}${base}`, vendor, program);
  } finally {
    // A runtime that is started by a script would outlive it.
    for (const pid of program?.exitCode === null ? familyOf(program) : []) process.kill(pid, "SIGKILL");
    vendor.close();
  }
}

/** Builds our packages and installs them beside the runtimes. */
async function installOwn(): Promise<void> {
  const root = join(import.meta.dirname, "../..");
  await buildPackages(root);
  const packed = await packPackages(root, join(folder, "tarballs"));
  const wanted = ["@troupe/core", "@troupe/http", "@troupe/providers-openai"];
  install(packed.filter(({ name }) => wanted.includes(name)).map(({ tarball }) => tarball));
}

/** Returns the port that a program prints. */
async function portOf(program: ChildProcess): Promise<number> {
  let printed = "";
  const found = Promise.withResolvers<number>();
  for (const stream of [program.stdout, program.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const [, port] = /(?:port |127\.0\.0\.1:|localhost:)(\d{2,5})/.exec(printed) ?? [];
      if (port !== undefined) found.resolve(Number(port));
    });
  }
  program.once("exit", () => found.reject(new Error(`it ended: ${printed.slice(-500)}`)));
  const timer = setTimeout(() => found.reject(new Error(`it printed no port: ${printed.slice(-500)}`)), 60_000);
  return await found.promise.finally(() => clearTimeout(timer));
}

const mostMegabytes = 400;

/**
 * Judges what stopped readers cost. A runtime that holds more than the bound for a handler that only passes bytes on has
 * buffers and garbage of its own, so that ours may take half as much again.
 */
function judge(held: Held | undefined, bare: Held): string[] {
  const bound = Math.max(mostMegabytes, 1.5 * bare.stopped);
  return held !== undefined && held.stopped < bound
    ? []
    : [`stopped readers hold more than ${bound} MB: ${inWords(held)}`];
}
