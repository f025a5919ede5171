import { hosts } from "@troupe-internal/web-servers";
import type { ErrorHandler, Host, HostName, NodeApp, NodeHandler } from "@troupe-internal/web-servers";
import { createHandler, createService } from "@troupe/core/service";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import { inject, TestRunner } from "vitest";
import { createAgentRouter } from "../src/create-agent-router.ts";
import type { AgentRouter, RouterOptions } from "../src/create-agent-router.ts";
import { http } from "../src/http.ts";

/** The reasons for which a test needs another server than the one that the suite runs on. */
export type Elsewhere = {
  /** The reason why a test needs a server over Node's requests, where other tests have web-standard ones. */
  onNode?: string | undefined;
  /** The reason why a test needs a server of the host, where other tests have that of `serve`. */
  onHost?: string | undefined;
  /** The reason why a test needs the requests and responses of Express. */
  onExpress?: string | undefined;
};

/** The handlers of a host around the service under test, below a path. */
export type Around = {
  readonly at: string;
  readonly before: readonly NodeHandler[];
  readonly behind: readonly (NodeHandler | ErrorHandler)[];
};

/** A service under test, mounted on a server. */
export type Hosted = { readonly app: NodeApp; readonly served: AgentRouter["service"] };

/** Mounts a service on the server under test, or on Express 5 for a test that needs it. */
export async function host(options: RouterOptions, around: Around, elsewhere: Elsewhere): Promise<Hosted> {
  const name = inject("httpServer");
  const reason = reasonFor(name, options, { ...around, ...elsewhere });
  noteServer(reason === undefined ? { server: name } : { server: "node", reason });
  const chosen = hosts[reason === undefined && name !== "serve" ? name : "node"];
  return chosen.kind === "node"
    ? await hostRouter(chosen, options, around)
    : await hostHandler(chosen, options, around);
}

/** Notes for the report of the tests on which server a test was served, and the reason if it is another one. */
export function noteServer(where: { server: string; reason?: string }): void {
  const test = TestRunner.getCurrentTest<ReturnType<typeof TestRunner.getCurrentTest>>();
  if (test !== undefined) Object.assign(test.meta, { served: where });
}

/** Returns the reason why a test is served on Express 5, and undefined where the server under test does. */
function reasonFor(
  name: HostName | "serve",
  { middleware }: RouterOptions,
  { onNode, onHost, onExpress, behind }: Elsewhere & Around,
): string | undefined {
  if (name === "node") return undefined;
  if (name === "serve") return onHost ?? onExpress ?? "the host has handlers of its own";
  if (hosts[name].kind === "node") return name === "express-4" ? undefined : onExpress;
  return onNode ?? onExpress ?? lackOfWeb(middleware !== undefined, behind.length > 0);
}

/** Returns what a handler of web-standard requests lacks of a host. */
function lackOfWeb(hasMiddleware: boolean, hasBehind: boolean): string | undefined {
  if (hasMiddleware) return "a handler of web-standard requests has no middleware of Express";
  return hasBehind ? "a handler of web-standard requests has no handlers behind it" : undefined;
}

async function hostRouter(node: Host & { kind: "node" }, options: RouterOptions, around: Around): Promise<Hosted> {
  const router = createAgentRouter(options);
  return { app: await node.mount({ handler: router, ...around }), served: router.service };
}

async function hostHandler(web: Host & { kind: "web" }, options: RouterOptions, around: Around): Promise<Hosted> {
  const { swagger, fileUpload, middleware: _, ...shared } = options;
  const carried = new WeakMap<Request, { principal?: Principal }>();
  const authenticate = ({ native }: ServiceRequest) => carried.get(native as Request)?.principal;
  const served = createService({ authenticate, ...shared }, "createAgentRouter");
  const basePath = around.at === "/" ? "" : around.at;
  const answer = createHandler(served, [http({ swagger, fileUpload })], { basePath });
  const app = await web.mount({
    ...around,
    handler: async (request, incoming) => {
      carried.set(request, incoming as { principal?: Principal });
      return await answer(request, { remoteAddress: incoming.socket.remoteAddress });
    },
  });
  return { app, served };
}
