import { A2AError, toA2AError } from "./a2a-error.ts";
import type { A2ACall, A2AOperation } from "./call.ts";
import type { A2AVersion, Dialect } from "./dialect.ts";
import { dialect02, dialect03 } from "./dialect-0.ts";
import { dialect1 } from "./dialect-1.ts";
import { parseBody, readId, readRequest } from "./json-rpc.ts";
import type { RpcId, RpcRequest } from "./json-rpc.ts";

/** The method names of A2A 0.x: a noun and a verb. */
const methods0: ReadonlyMap<string, A2AOperation> = new Map([
  ["message/send", "send"],
  ["message/stream", "stream"],
  ["tasks/get", "get"],
  ["tasks/cancel", "cancel"],
  ["tasks/resubscribe", "subscribe"],
  ["tasks/pushNotificationConfig/set", "set-push"],
  ["tasks/pushNotificationConfig/get", "get-push"],
  ["tasks/pushNotificationConfig/list", "list-push"],
  ["tasks/pushNotificationConfig/delete", "delete-push"],
  ["agent/getAuthenticatedExtendedCard", "extended-card"],
]);

/** The method names of A2A 1.0, in Pascal case. No name is in both tables, so a name identifies the version. */
const methods1: ReadonlyMap<string, A2AOperation> = new Map([
  ["SendMessage", "send"],
  ["SendStreamingMessage", "stream"],
  ["GetTask", "get"],
  ["CancelTask", "cancel"],
  ["ListTasks", "list"],
  ["SubscribeToTask", "subscribe"],
  ["CreateTaskPushNotificationConfig", "set-push"],
  ["GetTaskPushNotificationConfig", "get-push"],
  ["ListTaskPushNotificationConfigs", "list-push"],
  ["DeleteTaskPushNotificationConfig", "delete-push"],
  ["GetExtendedAgentCard", "extended-card"],
]);

const dialects: Readonly<Record<A2AVersion, Dialect>> = { "0.2": dialect02, "0.3": dialect03, "1.0": dialect1 };

const allVersions = Object.keys(dialects).join(", ");

/** Returns the dialect for a version that this server itself has stored. */
export function dialectOfVersion(version: string): Dialect {
  return Object.hasOwn(dialects, version) ? dialects[version as A2AVersion] : dialect1;
}

/** The version that a client asks for. `null` if it is not supported, and 0.3 if the client names none. */
export function readVersion(header: string | undefined): A2AVersion | null {
  const named = header?.trim() ?? "";
  if (named === "") return "0.3";
  // The patch number of a version does not matter.
  const version = /^(\d{1,4}\.\d{1,4})(?:\.\d{1,9})?$/.exec(named)?.[1];
  return version !== undefined && Object.hasOwn(dialects, version) ? (version as A2AVersion) : null;
}

/** A client's call, or the error to answer with. Both come with the id and the dialect of the answer. */
export type ParsedCall = {
  readonly id: RpcId;
  readonly dialect: Dialect;
} & ({ readonly call: A2ACall; readonly error?: never } | { readonly error: A2AError; readonly call?: never });

/**
 * Reads a call from the body of a request and the header `A2A-Version`. The name of the method identifies the version.
 * The header decides between 0.2 and 0.3, and for unreadable requests. Never throws.
 *
 * @param hasPush true if the server sends push notifications
 */
export function parseCall(body: string | Uint8Array, versionHeader?: string, hasPush = false): ParsedCall {
  const version = readVersion(versionHeader);
  let parsed: unknown;
  let dialect = dialects[version ?? "1.0"];
  try {
    parsed = parseBody(body);
    // The dialect is set before the rest is read, so that errors in the request are written in the dialect of its
    // method.
    dialect = dialectOf(parsed, version) ?? dialect;
    const request = readRequest(parsed);
    if (version === null) throw versionNotSupported(allVersions);
    return { id: request.id, dialect, call: readMethod(request, dialect, hasPush) };
  } catch (thrown) {
    return { id: readId(parsed), dialect, error: toA2AError(thrown) };
  }
}

function dialectOf(request: unknown, version: A2AVersion | null): Dialect | undefined {
  const method = typeof request === "object" && request !== null ? (request as { method?: unknown }).method : undefined;
  if (typeof method !== "string") return undefined;
  if (methods1.has(method)) return dialect1;
  if (!methods0.has(method)) return undefined;
  return version === "0.2" ? dialect02 : dialect03;
}

function readMethod({ method, params }: RpcRequest, dialect: Dialect, hasPush: boolean): A2ACall {
  const name = (dialect === dialect1 ? methods1 : methods0).get(method);
  if (name !== undefined) return readOperation(name, params, { dialect, hasPush });
  throw new A2AError("method-not-found", "This method is not known. It may be one of another version of A2A.");
}

/**
 * Reads the call of an operation from its parameters. Throws an `A2AError` for wrong parameters, or if the server
 * offers no push notifications and the call needs them.
 */
export function readOperation(
  operation: A2AOperation,
  params: Readonly<Record<string, unknown>>,
  { dialect, hasPush }: { dialect: Dialect; hasPush: boolean },
): A2ACall {
  if (!hasPush && operation.endsWith("-push")) throw pushNotSupported();
  const call = dialect.readCall(operation, params);
  if (!hasPush && "push" in call) throw pushNotSupported();
  return call;
}

function pushNotSupported(): A2AError {
  return new A2AError("push-not-supported", "This agent sends no push notifications. Stream or poll the task instead.");
}

/** Makes the error for an unsupported version of A2A. */
export function versionNotSupported(supported: string): A2AError {
  return new A2AError("version-not-supported", `This version of A2A is not supported. Supported are ${supported}.`, {
    supported,
  });
}
