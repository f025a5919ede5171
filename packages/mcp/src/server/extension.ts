import type * as Library from "@modelcontextprotocol/server";
import { TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { ownerKey } from "@troupe/core/transport";
import type { Caller } from "./call-tool.ts";

/**
 * Function that adds tools, prompts, resources and handlers of the host to the official library's server. It is called for
 * each server that is made: for each request of the stateless revision, each session of an earlier one and each connection
 * over stdio.
 */
export type McpExtend = (server: Library.McpServer, context: McpExtendContext) => void | Promise<void>;

/** The means that `extend` has beside the server. */
export type McpExtendContext = {
  /** The exports of `@modelcontextprotocol/server`, such as `ResourceTemplate`, `fromJsonSchema` and `inputRequired`. */
  readonly library: typeof Library;
  /** The user that the host has authenticated, and the tenant. */
  readonly userId?: string;
  readonly tenantId?: string;
  /**
   * Signs state that a handler sends to the client as `requestState`. The client returns it with its next request, where
   * `ctx.mcpReq.requestState()` is the value again. State that was changed, is older than ten minutes or comes from another
   * user is refused before the handler runs.
   */
  readonly sealState: (state: unknown, ctx: Library.ServerContext) => Promise<string>;
  /** Calls a tool of this server's agents, teams and workflows for a tool of your own: see `McpCallTool`. */
  readonly callTool: McpCallTool;
};

/**
 * Calls a tool of this server's agents, teams and workflows, such as `ask_helper`, for a tool of the host, which is to return
 * what this resolves with. For a client that takes tasks the call becomes one, and the client gets it in place of the result.
 * With `task: "required"` a client that takes none is refused; with `"forbidden"` the call never becomes one.
 */
export type McpCallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: { ctx: Library.ServerContext; task?: "optional" | "required" | "forbidden" },
) => Promise<Library.CallToolResult>;

/** Messages to all clients that want to know what has changed. */
export type McpNotify = {
  /** Tells clients to list the tools again. */
  readonly toolsChanged: () => void;
  /** Tells clients to list the prompts again. */
  readonly promptsChanged: () => void;
  /** Tells clients to list the resources again. */
  readonly resourcesChanged: () => void;
  /** Tells the clients that have subscribed to a resource to read it again. */
  readonly resourceUpdated: (uri: string) => void;
};

/** The callers of requests, by what the library hands on with each of them. */
export type Callers = WeakMap<object, Caller>;

/** A server of the library as its entry points take it, and the resources that its client has subscribed to. */
export type MadeServer = {
  readonly product: Library.McpServer | Library.Server;
  /** Undefined where the library keeps the subscriptions, and where there is nothing to subscribe to. */
  readonly subscribed?: ReadonlySet<string>;
};

/** Returns the caller of a request: a server that is kept was made for another request. */
export function callerOf(callers: Callers, { http }: Pick<Library.ServerContext, "http">, first: Caller): Caller {
  return (http?.authInfo && callers.get(http.authInfo)) ?? first;
}

type StateCodec = Library.RequestStateCodec;

/** Makes the codec that signs states: for the user and the method that they were made for. */
export function createStateCodec(library: typeof Library, callers: Callers, stateKey: string | undefined): StateCodec {
  return library.createRequestStateCodec({
    key: stateKey ?? `${createId()}${createId()}`,
    bind: ({ mcpReq, http }) => {
      const { opts = {} } = (http?.authInfo && callers.get(http.authInfo)) ?? {};
      return JSON.stringify([mcpReq.method, ownerKey(opts)]);
    },
  });
}

/** The greatest number of resources that one client may subscribe to. */
const maxSubscriptions = 1000;

/**
 * Lets clients subscribe to the resources of a server, unless the host handles that itself. Returns the URIs that the client
 * of an earlier revision has subscribed to.
 */
export function acceptSubscriptions(library: typeof Library, { server }: Library.McpServer): Set<string> {
  const subscribed = new Set<string>();
  const { resources } = server.getCapabilities();
  if (resources === undefined || resources.subscribe !== undefined) return subscribed;
  server.registerCapabilities({ resources: { subscribe: true } });
  server.setRequestHandler("resources/subscribe", ({ params }) => {
    if (subscribed.size >= maxSubscriptions && !subscribed.has(params.uri)) {
      const message = `At most ${maxSubscriptions} resources can be subscribed to. Unsubscribe from one first.`;
      throw new library.ProtocolError(library.ProtocolErrorCode.InvalidRequest, message);
    }
    subscribed.add(params.uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  return subscribed;
}

/** The clients that messages go to: the servers that are kept, and the library's subscriptions of the stateless revision. */
export type NotifyTargets = {
  readonly kept: readonly MadeServer[];
  readonly subscriptions: Library.ServerNotifier | undefined;
};

/** Makes the messages to clients, which throw where no `extend` has registered anything that could change. */
export function createNotify(isExtended: boolean, findTargets: () => NotifyTargets): McpNotify {
  const tell = (method: keyof McpNotify, send: (server: Library.Server) => Promise<void>, uri?: string): void => {
    if (!isExtended) {
      const message = `notify.${method} tells clients that what extend has registered was changed. Set the option extend.`;
      throw new TroupeError("invalid_config", message);
    }
    const { kept, subscriptions } = findTargets();
    for (const { product, subscribed } of kept) {
      if (uri !== undefined && subscribed?.has(uri) === false) continue;
      const server = "server" in product ? product.server : product;
      // Nothing is lost with a client that has just left, or a list that the server does not have.
      if (server.transport !== undefined) send(server).catch(() => {});
    }
    subscriptions?.[method](uri ?? "");
  };
  return {
    toolsChanged: () => tell("toolsChanged", async (server) => await server.sendToolListChanged()),
    promptsChanged: () => tell("promptsChanged", async (server) => await server.sendPromptListChanged()),
    resourcesChanged: () => tell("resourcesChanged", async (server) => await server.sendResourceListChanged()),
    resourceUpdated: (uri) => tell("resourceUpdated", async (server) => await server.sendResourceUpdated({ uri }), uri),
  };
}
