import type * as Library from "@modelcontextprotocol/server";

/** The name of the tasks extension in the capabilities of revision 2026-07-28. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The metadata key of revision 2025-11-25 that names the task of a message. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

type Capabilities = Pick<Library.ClientCapabilities, "elicitation" | "extensions">;

/** Returns the capabilities that the client declared: with this request or, in earlier revisions, for its session. */
function capabilitiesOf({ mcpReq: { envelope } }: Library.ServerContext, session?: Library.Server): Capabilities {
  const declared = (envelope as Record<string, unknown> | undefined)?.[capabilitiesKey];
  return (declared as Capabilities | undefined) ?? session?.getClientCapabilities() ?? {};
}

/** Returns true if the client of a request in revision 2026-07-28 accepts a task instead of a result. */
export function takesTasks(context: Library.ServerContext): boolean {
  return capabilitiesOf(context).extensions?.[tasksExtension] !== undefined;
}

/** Throws MCP's error for a client that has not declared support for tasks. */
export function checkTakesTasks(library: typeof Library, context: Library.ServerContext): void {
  if (!takesTasks(context)) throw missingTasks(library);
}

/** Makes MCP's error for a client without support for tasks. */
export function missingTasks(library: typeof Library): Error {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  return new library.MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Returns true if an MCP client declared that it can show its user a form. */
export function canAsk(context: Library.ServerContext, session?: Library.Server): boolean {
  const { elicitation } = capabilitiesOf(context, session);
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/**
 * A call in progress: the request for a task, if it may become one, and the task that has replaced the tool's result.
 */
export type NotedCall = {
  /** The request for a task. Undefined for a call that must not become a task. */
  readonly wish: TaskWish | undefined;
  outcome?: { readonly result: Library.Result } | { readonly error: Error };
};

/** A client's request for a task, with the requested time to live. */
export type TaskWish = { readonly ttlMs: number | undefined };

/**
 * The tool calls in progress, by the signal of their request. The context cannot be the key, because a handler may have
 * a copy of it.
 */
export type NotedCalls = WeakMap<AbortSignal, NotedCall>;
