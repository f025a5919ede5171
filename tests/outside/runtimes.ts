import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildPackages, packPackages } from "../../tools/packages/pack-packages.ts";
import { MissingServer } from "../../tools/services/service.ts";
import { checkServer } from "./check-server.ts";
import type { WatchedModel } from "./check-server.ts";
import type { VisitResult } from "./visit.ts";

/** The runtimes and Next.js, in a folder of their own. The version in its name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "runtimes-1");

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
  "agent.mjs": `
    import { Agent } from "@troupe/core";
    import { createHandler, createService } from "@troupe/core/service";
    import { http } from "@troupe/http";
    import { openai } from "@troupe/providers-openai";
    export function makeHandler(vendor, options) {
      const model = openai("m", { apiKey: "k", baseURL: vendor + "/v1", api: "chat" });
      return createHandler(createService({ agents: { a: new Agent({ name: "a", model }) } }), [http()], options);
    }`,
  "bun.mjs": `
    import { makeHandler } from "./agent.mjs";
    const { fetch } = makeHandler(process.env.VENDOR);
    console.log("port " + Bun.serve({ port: 0, hostname: "127.0.0.1", fetch }).port);`,
  "deno.mjs": `
    import { makeHandler } from "./agent.mjs";
    const onListen = ({ port }) => console.log("port " + port);
    Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, makeHandler(Deno.env.get("VENDOR")));`,
  "worker.mjs": `
    import { makeHandler } from "./agent.mjs";
    let handler;
    export default { fetch: (request, env, context) => (handler ??= makeHandler(env.VENDOR))(request, env, context) };`,
  "workerd.mjs": `
    import { buildSync } from "esbuild";
    import { Miniflare } from "miniflare";
    const outfile = "worker.bundle.mjs";
    buildSync({ entryPoints: ["worker.mjs"], outfile, bundle: true, format: "esm", platform: "node", logLevel: "error" });
    const compatibility = { compatibilityDate: "2026-04-01", compatibilityFlags: ["nodejs_compat"] };
    const bindings = { VENDOR: process.env.VENDOR };
    const miniflare = new Miniflare({ port: 0, modules: true, scriptPath: outfile, bindings, ...compatibility });
    console.log("port " + (await miniflare.ready).port);`,
  "app/api/[...path]/route.js": `
    import { makeHandler } from "../../../agent.mjs";
    export const dynamic = "force-dynamic";
    export const { GET, POST, PATCH, DELETE } = makeHandler(process.env.VENDOR, { basePath: "/api" });`,
  "app/layout.js": `
    export default ({ children }) => <html><body>{children}</body></html>;`,
};

/** A program that serves, and the path of its API. */
type Runtime = { readonly base?: string; readonly start: (env: NodeJS.ProcessEnv) => ChildProcess };

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });

const inModules = (...path: string[]): string => join(folder, "node_modules", ...path);

const runtimes: Readonly<Record<string, Runtime>> = {
  bun: { start: (env) => run(executable("@oven/bun-linux-x64", "bin", "bun"), ["bun.mjs"], env) },
  deno: { start: (env) => run(executable("@deno/linux-x64-glibc", "deno"), ["run", "-A", "deno.mjs"], env) },
  workerd: { start: (env) => run(process.execPath, ["workerd.mjs"], env) },
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
      return run(process.execPath, [next, "start", "-p", "0", "-H", "127.0.0.1"], quietEnv);
    },
  },
};

/** Returns the path of a program from npm, which may have come without the right to be executed. */
function executable(...path: string[]): string {
  const file = inModules(...path);
  chmodSync(file, 0o755);
  return file;
}

/** Serves an agent on Bun, Deno, workerd and Next.js, and checks its answers, its streams, and clients that leave or stop. */
export async function visitOnRuntimes(): Promise<VisitResult> {
  const [faults, remarks]: [string[], string[]] = [[], []];
  let cases = 0;
  await installOwn();
  for (const [name, text] of Object.entries(programs)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `${text.trim()}\n`);
  }
  for (const [name, { base = "", start }] of Object.entries(runtimes)) {
    const vendor = await Vendor.listen();
    let program: ChildProcess | undefined;
    try {
      program = start({ VENDOR: vendor.url });
      const url = `http://127.0.0.1:${await portOf(program)}${base}`;
      const found = await checkServer(url, vendor);
      const stopped = await stopReading(url, vendor, program);
      cases += found.cases + 1;
      faults.push(...[...found.faults, ...stopped.faults].map((fault) => `${name}: ${fault}`));
      remarks.push(
        `${name}: a client that leaves ends the model's call after ${found.leftMs} ms (median of 10); ${stopped.remark}`,
      );
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      program?.kill("SIGKILL");
      vendor.close();
    }
  }
  return { cases, faults, remarks };
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

const stoppedReaders = 200;
const streamBytes = 3_000_000;
const mostMegabytes = 400;

/** Opens streams whose readers stop, and tells what the vendor could send of them and what the server holds. */
async function stopReading(url: string, vendor: Vendor, program: ChildProcess) {
  Object.assign(vendor, { words: Math.ceil(streamBytes / 5), chunkDelayMs: 0 });
  const before = vendor.sentBytes;
  const { port, pathname } = new URL(`${url}/agents/a/stream`);
  const body = '{"input":"Hi"}';
  const head = `POST ${pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const sockets = Array.from({ length: stoppedReaders }, (): Socket => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
    socket.write(head + body);
    return socket.pause();
  });
  for (let sent = -1; sent !== vendor.sentBytes; await sleep(3000)) sent = vendor.sentBytes;
  const [passed, held] = [Math.round((vendor.sentBytes - before) / 1e6), Math.round(residentBytes(program) / 1e6)];
  for (const socket of sockets) socket.destroy();
  const remark = `${stoppedReaders} stopped readers: ${passed} of ${(stoppedReaders * streamBytes) / 1e6} MB passed, ${held} MB resident`;
  // What passed is in the system's buffers, which take some megabytes for each connection of this machine to itself.
  return { remark, faults: held >= mostMegabytes ? [`it does not stop for readers that stop: ${remark}`] : [] };
}

/** Returns the memory of a process and of the processes that it has started. */
function residentBytes({ pid = 0 }: ChildProcess): number {
  const family = [pid];
  for (const each of family) family.push(...childrenOf(each));
  return family.reduce((sum, each) => sum + residentOf(each), 0);
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const lists = existsSync(tasks)
    ? readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"))
    : [];
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function residentOf(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** A vendor of Chat Completions that streams words, notes when a call is aborted, and sends no faster than it is read. */
class Vendor implements WatchedModel {
  words = 3;
  chunkDelayMs = 0;
  onAbort: () => void = () => undefined;
  sentBytes = 0;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  static async listen(): Promise<Vendor> {
    const vendor = new Vendor();
    await new Promise<void>((resolve) => void vendor.#server.listen(0, "127.0.0.1", resolve));
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.setEncoding("utf8").toArray()).join("");
    if ((JSON.parse(body) as { stream?: boolean }).stream === true) return await this.#answer(response);
    const message = { role: "assistant", content: "word ".repeat(this.words) };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "c", object: "chat.completion", model: "m", choices, usage }));
  }

  async #answer(response: ServerResponse): Promise<void> {
    response.once("close", () => void (response.writableFinished || this.onAbort()));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    // Long answers come in large chunks.
    const wordsPerChunk = this.words > 10_000 ? 2000 : 1;
    for (let count = 0; count < this.words && !response.destroyed; count += wordsPerChunk) {
      await this.#write(response, chunk({ content: "word ".repeat(Math.min(wordsPerChunk, this.words - count)) }));
      if (this.chunkDelayMs > 0) await sleep(this.chunkDelayMs);
    }
    response.end(`${chunk({}, "stop")}data: ${JSON.stringify({ id: "c", choices: [], usage })}\n\ndata: [DONE]\n\n`);
  }

  async #write(response: ServerResponse, text: string): Promise<void> {
    const isFull = !response.write(text);
    this.sentBytes += text.length;
    if (!isFull || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        response.off("drain", goOn).off("close", goOn);
        resolve();
      };
      response.on("drain", goOn).on("close", goOn);
    });
  }
}
