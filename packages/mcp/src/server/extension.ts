import type * as Library from "@modelcontextprotocol/server";
import { TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { ownerKey } from "@troupe/core/transport";
import type { Caller } from "./call-tool.ts";

/**
 * A function that adds the host's tools, prompts, resources and handlers to the official library's server. It is called
 * for each new server. In revision 2026-07-28 there is one server per request, in earlier revisions one per session,
 * and over stdio one per connection.
 */
export type McpExtend = (server: Library.McpServer, context: McpExtendContext) => void | Promise<void>;

/** The second argument of `extend`: functions and facts for the host's handlers. */
export type McpExtendContext = {
  /**
   * The exports of `@modelcontextprotocol/server`, such as `ResourceTemplate`, `fromJsonSchema` and `inputRequired`.
   */
  readonly library: typeof Library;
  /** The user that the host has authenticated, and the tenant. */
  readonly userId?: string;
  readonly tenantId?: string;
  /**
   * Signs state that a handler sends to the client as `requestState`. The client returns it with its next request,
   * where `ctx.mcpReq.requestState()` yields the value again. State that was changed, is older than ten minutes or
   * comes from another user is refused before the handler runs.
   */
  readonly sealState: (state: unknown, ctx: Library.ServerContext) => Promise<string>;
  /** Calls a tool of this server's agents, teams and workflows from a tool of your own: see `McpCallTool`. */
  readonly callTool: McpCallTool;
};

/**
 * Calls a tool of this server's agents, teams and workflows, such as `ask_helper`, from a tool of the host. The host's
 * tool must return the value that this call resolves with. If the client accepts tasks, the call becomes a task, and
 * the client gets the task instead of the result. `task: "required"` refuses clients that accept no tasks; with
 * `"forbidden"` the call never becomes a task.
 */
export type McpCallTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: { ctx: Library.ServerContext; task?: "optional" | "required" | "forbidden" },
) => Promise<Library.CallToolResult>;

/** Messages to all clients that subscribe to changes. */
export type McpNotify = {
  /** Asks clients to list the tools again. */
  readonly toolsChanged: () => void;
  /** Asks clients to list the prompts again. */
  readonly promptsChanged: () => void;
  /** Asks clients to list the resources again. */
  readonly resourcesChanged: () => void;
  /** Asks clients that subscribed to a resource to read it again. */
  readonly resourceUpdated: (uri: string) => void;
};

/** The caller of each request, by the object that the library passes on with the request. */
export type Callers = WeakMap<object, Caller>;

/**
 * A server of the library in the form that the library's entry points accept, and the resources to which its client has
 * subscribed.
 */
export type MadeServer = {
  readonly product: Library.McpServer | Library.Server;
  /**
   * The URIs of the resources that the client has subscribed to. Undefined if the library stores them, or there is
   * nothing to subscribe to.
   */
  readonly subscribed?: ReadonlySet<string>;
};

/**
 * Returns the caller of a request. It is looked up for each request, because the server of a session was made for an
 * earlier request.
 */
export function callerOf(callers: Callers, { http }: Pick<Library.ServerContext, "http">, first: Caller): Caller {
  return (http?.authInfo && callers.get(http.authInfo)) ?? first;
}

type StateCodec = Library.RequestStateCodec;

/** Makes the codec that signs states. A signature is bound to the user and the method. */
export function createStateCodec(library: typeof Library, callers: Callers, stateKey: string | undefined): StateCodec {
  return library.createRequestStateCodec({
    key: stateKey ?? `${createId()}${createId()}`,
    bind: ({ mcpReq, http }) => {
      const { opts = {} } = (http?.authInfo && callers.get(http.authInfo)) ?? {};
      return JSON.stringify([mcpReq.method, ownerKey(opts)]);
    },
  });
}

/** Largest number of resources that one client may subscribe to. */
const maxSubscriptions = 1000;

/**
 * Lets clients subscribe to the resources of a server, unless the host handles subscriptions itself. Returns the URIs
 * that the client of an earlier revision has subscribed to.
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

/**
 * The receivers of notifications: the servers of sessions and connections, and the library's subscriptions of revision
 * 2026-07-28.
 */
export type NotifyTargets = {
  readonly kept: readonly MadeServer[];
  readonly subscriptions: Library.ServerNotifier | undefined;
};

/**
 * Notifies the clients of sessions and connections. A change of a resource is sent only to clients that have subscribed
 * to the resource.
 */
function tellKept(kept: readonly MadeServer[], send: (server: Library.Server) => Promise<void>, uri?: string): void {
  for (const { product, subscribed } of kept) {
    if (uri !== undefined && subscribed?.has(uri) === false) continue;
    const server = "server" in product ? product.server : product;
    // A failed notification is ignored: the client has just disconnected, or its server does not have that list.
    if (server.transport !== undefined) send(server).catch(() => {});
  }
}

/** Makes the functions that notify clients. Without `extend` they throw, because nothing can change then. */
export function createNotify(isExtended: boolean, findTargets: () => readonly NotifyTargets[]): McpNotify {
  const tell = (method: keyof McpNotify, send: (server: Library.Server) => Promise<void>, uri?: string): void => {
    if (!isExtended) {
      const message = `notify.${method} tells clients that what extend has registered was changed. Set the option extend.`;
      throw new TroupeError("invalid_config", message);
    }
    for (const { kept, subscriptions } of findTargets()) {
      tellKept(kept, send, uri);
      subscriptions?.[method](uri ?? "");
    }
  };
  return {
    toolsChanged: () => tell("toolsChanged", async (server) => await server.sendToolListChanged()),
    promptsChanged: () => tell("promptsChanged", async (server) => await server.sendPromptListChanged()),
    resourcesChanged: () => tell("resourcesChanged", async (server) => await server.sendResourceListChanged()),
    resourceUpdated: (uri) => tell("resourceUpdated", async (server) => await server.sendResourceUpdated({ uri }), uri),
  };
}
