import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { build } from "esbuild";
import { executable, runtimesFolder } from "./runtimes.ts";
import type { VisitResult } from "./visit.ts";

const chunks = 10_000;
const text = Array.from({ length: chunks }, (_, index) => `${index} é `);

/** The client's program on each runtime: `check` returns the faults. The same text is a module and a part of a Worker. */
const checks = `
  import { createClient } from "./troupe-client.mjs";
  export async function check(baseUrl, length) {
    const faults = [];
    const client = createClient({ baseUrl });
    let read = "";
    for await (const event of client.agent("counter").stream("Count.")) if (event.type === "text") read += event.text;
    const expected = Array.from({ length }, (_, index) => index + " é ").join("");
    if (read !== expected) faults.push("a stream of " + read.length + " characters, not " + expected.length);
    const output = await client.agent("helper").run("Hi.");
    if (output.text !== "Hello.") faults.push("a run: " + JSON.stringify(output));
    const refused = await client.agent("nobody").run("Hi.").catch((error) => error);
    if (refused.code !== "not_found") faults.push("a refusal: " + String(refused));
    return faults;
  }`;

const programs: Readonly<Record<string, string>> = {
  "client-checks.mjs": checks,
  "client-main.mjs": `
    import { check } from "./client-checks.mjs";
    const [url, length] = (globalThis.Deno?.args ?? process.argv.slice(2));
    console.log(JSON.stringify(await check(url, Number(length))));`,
  "client-worker.mjs": `
    import { check } from "./client-checks.mjs";
    export default {
      fetch: async (request, { URL: url, LENGTH: length }) => Response.json(await check(url, length)),
    };`,
  "client-workerd.mjs": `
    import { buildSync } from "esbuild";
    import { Miniflare } from "miniflare";
    const [url, length] = process.argv.slice(2);
    const outfile = "client-worker.bundle.mjs";
    buildSync({ entryPoints: ["client-worker.mjs"], outfile, bundle: true, format: "esm", logLevel: "error" });
    const bindings = { URL: url, LENGTH: Number(length) };
    const options = { modules: true, scriptPath: outfile, bindings, compatibilityDate: "2026-04-01" };
    const miniflare = new Miniflare({ port: 0, ...options });
    console.log(await (await miniflare.dispatchFetch("http://localhost/")).text());
    await miniflare.dispose();`,
};

const commands: Readonly<Record<string, () => readonly [command: string, ...args: string[]]>> = {
  bun: () => [executable("@oven/bun-linux-x64", "bin", "bun"), "client-main.mjs"],
  deno: () => [executable("@deno/linux-x64-glibc", "deno"), "run", "-A", "client-main.mjs"],
  workerd: () => [process.execPath, "client-workerd.mjs"],
};

/** The number of connections that are killed while a stream is read. */
const kills = 30;

/** A proxy that kills its first connections after random numbers of bytes. */
class KillingProxy {
  killed = 0;
  readonly #server: Server;
  #random: number;

  constructor(port: number, seed: number) {
    this.#random = seed;
    this.#server = createServer((client) => {
      const server = connect(port, "127.0.0.1");
      let room = this.killed < kills ? 400 + this.#next(24_000) : Infinity;
      server.on("data", (bytes) => {
        client.write(bytes.subarray(0, Math.max(0, room)));
        room -= bytes.length;
        if (room > 0 || client.destroyed) return;
        this.killed += 1;
        client.resetAndDestroy();
      });
      client.on("data", (bytes) => void server.write(bytes));
      client.on("error", () => undefined).on("close", () => server.destroy());
      server.on("error", () => undefined).on("close", () => client.destroy());
    }).listen(0, "127.0.0.1");
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }

  #next(below: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return this.#random % below;
  }
}

/** Has our client on Bun, Deno and workerd read a stream over connections that are killed, run an agent, and be refused. */
export async function visitByOurClient(): Promise<VisitResult> {
  const root = join(import.meta.dirname, "../..");
  const outfile = join(runtimesFolder, "troupe-client.mjs");
  const entryPoints = [join(root, "packages/client/src/index.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", conditions: ["@troupe/source"], logLevel: "error" });
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(runtimesFolder, name), program);
  const [faults, remarks]: [string[], string[]] = [[], []];
  for (const [name, command] of Object.entries(commands)) {
    const { found, killed } = await visitOn(command());
    faults.push(...found.map((fault) => `${name}: ${fault}`));
    if (killed < kills) faults.push(`${name}: only ${killed} connections were killed`);
    remarks.push(`${name}: ${chunks} chunks over ${killed} killed connections`);
  }
  return { cases: 3 * Object.keys(commands).length, faults, remarks };
}

async function visitOn([command, ...args]: readonly string[]): Promise<{ found: string[]; killed: number }> {
  const storage = new InMemoryStorage();
  const counting = new ScriptedModel().respond(() => ({ text }));
  const helping = new ScriptedModel().respond(() => "Hello.");
  const agents = {
    counter: new Agent({ name: "counter", model: counting, storage }),
    helper: new Agent({ name: "helper", model: helping, storage }),
  };
  const service = createService({ agents, logger: createLogger({ level: "silent" }) });
  const { url } = await serve(service, [http()], { port: 0, host: "127.0.0.1" });
  const proxy = new KillingProxy(Number(new URL(url).port), 7);
  try {
    const given = [...args, await proxy.url(), String(chunks)];
    const options = { cwd: runtimesFolder, timeout: 120_000 };
    const { stdout } = await promisify(execFile)(command ?? "", given, options);
    return { found: JSON.parse(stdout) as string[], killed: proxy.killed };
  } catch (error) {
    return { found: [String(error).slice(0, 800)], killed: proxy.killed };
  } finally {
    proxy.close();
    await service.close({ graceMs: 0 });
  }
}
