import type * as Library from "@modelcontextprotocol/server";

/** The name of the extension in the capabilities of revision 2026-07-28. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The key in the metadata of revision 2025-11-25 that names the task of a message. */
export const relatedTaskKey = "io.modelcontextprotocol/related-task";

const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

type Capabilities = Pick<Library.ClientCapabilities, "elicitation" | "extensions">;

/** Returns the capabilities that the client has declared: with this request or, in earlier revisions, for its session. */
function capabilitiesOf({ mcpReq: { envelope } }: Library.ServerContext, session?: Library.Server): Capabilities {
  const declared = (envelope as Record<string, unknown> | undefined)?.[capabilitiesKey];
  return (declared as Capabilities | undefined) ?? session?.getClientCapabilities() ?? {};
}

/** Tells whether the client of a request of revision 2026-07-28 takes a task in place of a result. */
export function takesTasks(context: Library.ServerContext): boolean {
  return capabilitiesOf(context).extensions?.[tasksExtension] !== undefined;
}

/** Throws the error of the protocol for a client that has not declared that it takes tasks. */
export function checkTakesTasks(library: typeof Library, context: Library.ServerContext): void {
  if (!takesTasks(context)) throw missingTasks(library);
}

/** Makes the error of the protocol for a client that takes no tasks. */
export function missingTasks(library: typeof Library): Error {
  const requiredCapabilities = { extensions: { [tasksExtension]: {} } };
  return new library.MissingRequiredClientCapabilityError({ requiredCapabilities });
}

/** Tells whether the user of the client can be asked by a form. */
export function canAsk(context: Library.ServerContext, session?: Library.Server): boolean {
  const { elicitation } = capabilitiesOf(context, session);
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** A call by its context: how it may become a task, and what it came to in place of the result of its tool. */
export type NotedCall = {
  /** Undefined for a call that must not become a task. */
  readonly wish: TaskWish | undefined;
  outcome?: { readonly result: Library.Result } | { readonly error: Error };
};

/** The wish of a client for a task, with the time to live that it asks for. */
export type TaskWish = { readonly ttlMs: number | undefined };

/** The calls of tools under way, by the signal of their request: a handler may have a copy of the context. */
export type NotedCalls = WeakMap<AbortSignal, NotedCall>;
