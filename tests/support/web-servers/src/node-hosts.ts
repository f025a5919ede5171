import type { IncomingMessage, ServerResponse } from "node:http";
import express from "express";
import { loadFramework } from "./frameworks.ts";
import { runChain } from "./host.ts";
import type { ErrorHandler, Host, NodeApp, NodeHandler, Routed } from "./host.ts";

type Use = (...mounted: readonly [NodeHandler | ErrorHandler] | readonly [string, NodeHandler]) => unknown;

/** An app in the form of Connect. */
type Using = NodeApp & { readonly use: Use };

function nodeHost(mount: (routed: Routed) => Promise<NodeApp>): Host {
  return { kind: "node", mount };
}

/** The servers over Node's requests. */
export const nodeHosts = {
  /** Express 5, which the workspace has. */
  node: nodeHost(async (routed) => await Promise.resolve(useOn(express() as unknown as Using, routed))),
  "express-4": nodeHost(async (routed) => {
    const { default: create } = await loadFramework<{ default: () => Using }>("express");
    return useOn(create(), routed);
  }),
  connect: nodeHost(async (routed) => {
    const { default: create } = await loadFramework<{ default: () => Using }>("connect");
    return useOn(create(), routed);
  }),
  fastify: nodeHost(async (routed) => await onFastify(routed)),
  "fastify-middie": nodeHost(async (routed) => await onMiddie(routed)),
} satisfies Readonly<Record<string, Host>>;

function useOn(app: Using, { handler, at, before, behind }: Routed): NodeApp {
  for (const each of before) app.use(each);
  app.use(at, handler);
  for (const each of behind) app.use(each);
  return app;
}

type Reply = { readonly raw: ServerResponse; hijack(): void; callNotFound(): void };
type Handle = (request: { readonly raw: IncomingMessage }, reply: Reply) => void;

type Fastify = {
  readonly routing: NodeApp;
  all(path: string, handle: Handle): void;
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parse: (request: unknown, body: unknown, done: (error: null) => void) => void,
  ): void;
  register(plugin: unknown): Promise<unknown>;
  readonly use: Use;
  ready(): Promise<unknown>;
};

async function makeFastify(): Promise<Fastify> {
  return (await loadFramework<{ default: () => Fastify }>("fastify")).default();
}

/** Mounts the handler as a route of Fastify that leaves request and response to it. */
async function onFastify({ handler, at, before, behind }: Routed): Promise<NodeApp> {
  const app = await makeFastify();
  // Fastify would read the body before the handler is called.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
  const handle: Handle = ({ raw: request }, reply) => {
    reply.hijack();
    const { raw: response } = reply;
    const fail = (): void => void response.writeHead(500).end();
    runChain(before, [request, response], (error) => {
      if (error !== undefined) return fail();
      const { url = "/" } = request;
      // The handler is mounted below a path, as Connect does it.
      if (at !== "/") Object.assign(request, { originalUrl: url, url: url.slice(at.length) || "/" });
      handler(request as never, response as never, (failure) => {
        if (failure !== undefined) return fail();
        request.url = url;
        const plain = behind.filter((each) => each.length < 4) as NodeHandler[];
        runChain(plain, [request, response], () => response.writeHead(404).end());
      });
    });
  };
  app.all(at === "/" ? "/*" : `${at}/*`, handle);
  if (at !== "/") app.all(at, handle);
  await app.ready();
  return app.routing;
}

async function onMiddie({ handler, at, before, behind }: Routed): Promise<NodeApp> {
  const app = await makeFastify();
  await app.register((await loadFramework<{ default: unknown }>("@fastify/middie")).default);
  for (const each of before) app.use(each);
  if (at === "/") app.use(handler);
  else app.use(at, handler);
  for (const each of behind) app.use(each);
  await app.ready();
  return app.routing;
}
