import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createHandler, createRouter, createService } from "@troupe/core/service";
import type { NodeHandler, WebHandler } from "@troupe/core/service";
import { http } from "@troupe/http";

import { MissingServer } from "../../tools/services/service.ts";
import { checkServer } from "./check-server.ts";
import type { WatchedModel } from "./check-server.ts";
import type { VisitResult } from "./visit.ts";

/** The frameworks, in a folder of their own. The version in its name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "web-servers-1");

const packages = [
  "@fastify/middie@9.3.6",
  "@hono/node-server@2.1.9",
  "connect@3.7.0",
  "express@4.22.3",
  "fastify@5.12.8",
  "hono@4.13.19",
  "srvx@1.0.8",
];

/** Ensures that the frameworks are installed; throws `MissingServer` if they are not and may not be. */
export function needWebServers(mayInstall: boolean): void {
  if (existsSync(join(folder, "node_modules"))) return;
  if (!mayInstall) throw new MissingServer("pass --install to have the web servers installed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the web servers could not be installed with npm");
  }
}

type Module = Readonly<Record<string, unknown>>;

/** Loads a framework from the folder. Its types are not installed in this workspace. */
async function load(name: string): Promise<Module> {
  const path = createRequire(join(folder, "index.js")).resolve(name);
  return (await import(pathToFileURL(path).href)) as Module;
}

/** The service under test in both forms, and a way to mount it for each server. */
type Served = { readonly router: NodeHandler; readonly handler: WebHandler };
type NodeApp = (request: IncomingMessage, response: ServerResponse) => void;
type Using = NodeApp & { use: (handler: NodeHandler) => unknown };

const servers: Readonly<Record<string, (served: Served) => Promise<NodeApp>>> = {
  "node:http": async ({ router }) => {
    return await Promise.resolve<NodeApp>((request, response) => {
      router(request, response, () => response.writeHead(404).end());
    });
  },
  "express 4": async ({ router }) => useOn((await load("express"))["default"], router),
  connect: async ({ router }) => useOn((await load("connect"))["default"], router),
  "fastify with middie": async ({ router }) => {
    type Fastify = {
      register: (plugin: unknown) => Promise<unknown>;
      use: (handler: NodeHandler) => unknown;
      ready: () => Promise<unknown>;
      routing: NodeApp;
    };
    const app = ((await load("fastify"))["default"] as () => Fastify)();
    await app.register((await load("@fastify/middie"))["default"]);
    app.use(router);
    await app.ready();
    return app.routing;
  },
  "hono in @hono/node-server": async ({ handler }) => {
    type Hono = { all: (path: string, handle: (context: { req: { raw: Request } }) => Promise<Response>) => void };
    const { Hono } = (await load("hono")) as { Hono: new () => Hono & { fetch: unknown } };
    const app = new Hono();
    app.all("*", async ({ req }) => await handler(req.raw));
    return await honoListener(app.fetch);
  },
  "@hono/node-server": async ({ handler }) => await honoListener(handler.fetch),
  srvx: async ({ handler }) => {
    const { toNodeHandler } = (await load("srvx")) as { toNodeHandler: (fetch: unknown) => NodeApp };
    return toNodeHandler(handler.fetch);
  },
};

function useOn(create: unknown, router: NodeHandler): NodeApp {
  const app = (create as () => Using)();
  app.use(router);
  return app;
}

async function honoListener(answer: unknown): Promise<NodeApp> {
  const { getRequestListener } = (await load("@hono/node-server")) as {
    getRequestListener: (fetch: unknown) => NodeApp;
  };
  return getRequestListener(answer);
}

/** Serves an agent on each server, and checks its answers, its streams, and what becomes of clients that leave or stop reading. */
export async function visitOnWebServers(): Promise<VisitResult> {
  const [faults, remarks]: [string[], string[]] = [[], []];
  let cases = 0;
  for (const [name, mount] of Object.entries(servers)) {
    const watched = new WordModel();
    const agents = { a: new Agent({ name: "a", model: watched.model }) };
    const service = createService({ agents });
    const app = await mount({ router: createRouter(service, [http()]), handler: createHandler(service, [http()]) });
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const found = await checkServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, watched);
      cases += found.cases;
      faults.push(...found.faults.map((fault) => `${name}: ${fault}`));
      remarks.push(`${name}: a client that leaves ends the model's call after ${found.leftMs} ms (median of 10)`);
    } finally {
      stop(server);
    }
  }
  return { cases, faults, remarks };
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** A model that answers in words, notes when its calls are aborted, and counts the chunks that were taken. */
class WordModel implements WatchedModel {
  words = 3;
  chunkDelayMs = 0;
  onAbort: () => void = () => undefined;
  readonly model = new ScriptedModel().respond(({ options }) => {
    options.signal?.addEventListener("abort", () => this.onAbort(), { once: true });
    const delay = this.chunkDelayMs === 0 ? {} : { chunkDelayMs: this.chunkDelayMs };
    return { text: "word ".repeat(this.words), ...delay };
  });
}
