import type { IncomingMessage } from "node:http";
import { carry } from "./carrier.ts";
import { loadFramework } from "./frameworks.ts";
import { runChain } from "./host.ts";
import type { Host, Mounted, NodeApp, WebAnswer } from "./host.ts";

/** Makes a server over web-standard requests. The handlers before it run on those of Node. */
function webHost(listen: (answer: WebAnswer) => Promise<NodeApp>): Host {
  return {
    kind: "web",
    async mount({ handler, before }: Mounted<WebAnswer>) {
      const app = await listen(handler);
      return (request, response) => {
        runChain(before, [request, response], (error) => {
          if (error === undefined) app(request, response);
          else response.writeHead(500).end();
        });
      };
    },
  };
}

type HonoContext = { readonly req: { readonly raw: Request }; readonly env: { readonly incoming: IncomingMessage } };
type Hono = {
  all(path: string, handle: (context: HonoContext) => Promise<Response>): void;
  fetch(request: Request, env?: object): Promise<Response> | Response;
};
type Listen<Fetch> = (answer: Fetch) => NodeApp;

/** Makes an app of Hono with one route for all paths. */
async function makeHono(answer: WebAnswer): Promise<Hono> {
  const { Hono } = await loadFramework<{ Hono: new () => Hono }>("hono");
  const app = new Hono();
  app.all("*", async ({ req, env }) => await answer(req.raw, env.incoming));
  return app;
}

/** Listens with Hono's adapter for Node. */
async function onHonoServer(fetch: (request: Request, env: HonoContext["env"]) => unknown): Promise<NodeApp> {
  const { getRequestListener } = await loadFramework<{ getRequestListener: Listen<typeof fetch> }>("@hono/node-server");
  return getRequestListener(fetch);
}

/** The servers over web-standard requests. */
export const webHosts = {
  /** The bare handler. */
  fetch: webHost(async (answer) => await Promise.resolve(carry(answer))),
  /** An app of Hono, called with a request of Node's own `Request`. */
  hono: webHost(async (answer) => {
    const app = await makeHono(answer);
    return carry(async (request, incoming) => await app.fetch(request, { incoming }));
  }),
  "hono-app-node-server": webHost(async (answer) => {
    const app = await makeHono(answer);
    return await onHonoServer((request, env) => app.fetch(request, env));
  }),
  "hono-node-server": webHost(async (answer) => {
    return await onHonoServer(async (request, { incoming }) => await answer(request, incoming));
  }),
  srvx: webHost(async (answer) => {
    type Served = Request & { readonly runtime: { readonly node: { readonly req: IncomingMessage } } };
    type Fetch = (request: Served) => Promise<Response>;
    const { toNodeHandler } = await loadFramework<{ toNodeHandler: Listen<Fetch> }>("srvx");
    return toNodeHandler(async (request) => await answer(request, request.runtime.node.req));
  }),
} satisfies Readonly<Record<string, Host>>;
