import { TroupeError } from "@troupe/core";
import type { MessageContent, Runnable } from "@troupe/core";
import {
  checkApiKey,
  checkFieldNames,
  findRunnable,
  readMessage,
  readPayloadApiKeys,
  readRunFields,
  readClientObject,
  runFieldNames,
} from "@troupe/core/transport";
import type { RequestedRun, Service } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import type { SocketClient } from "./socket-client.ts";

/** The arguments that a client sent with an event, and its acknowledgement callback, if any. */
export type ClientMessage = { readonly payload: unknown; readonly acknowledge?: (answer: object) => void };

/** A checked request of a client to run an agent or a team. */
export type RunMessage = {
  readonly name: string;
  readonly requested: RequestedRun<Runnable, MessageContent>;
  readonly idempotencyKey: string | undefined;
};

const where = "payload";

const runPayloadFields = ["name", ...runFieldNames, "apiKeys", "idempotencyKey"];

const longestId = 256;

/** The form of an idempotency key: visible ASCII characters, as many as the keys of every storage allow. */
const keyForm = /^[!-~]{1,255}$/;

/**
 * Separates the arguments of an event: Socket.IO appends the acknowledgement callback to the client's own arguments.
 */
export function readArguments(sent: readonly unknown[]): ClientMessage {
  const last = sent.at(-1);
  if (typeof last !== "function") return { payload: sent.length > 1 ? sent : sent[0] };
  const payload = sent.length > 2 ? sent.slice(0, -1) : sent.length === 2 ? sent[0] : undefined;
  return { payload, acknowledge: last as (answer: object) => void };
}

/** Checks name, user, session, keys and input of a request before anything runs. Throws the error to answer with. */
export async function readRunMessage(
  client: SocketClient,
  payload: unknown,
  { kind, service }: { kind: "agent" | "team"; service: Service },
): Promise<RunMessage> {
  const fields = readFields(payload, runPayloadFields);
  const name = readText(fields["name"], "name");
  const subject = findRunnable(kind === "agent" ? service.agents : service.teams, name, kind);
  const { principal } = client;
  const keys = readPayloadApiKeys(fields, readHandshakeKey(client.socket, fields));
  const idempotencyKey = readIdempotencyKey(fields["idempotencyKey"] ?? undefined);
  const hostOptions = await service.runOptionsFor(client);
  // The client may have disconnected in the meantime, and a run without a client must not start.
  client.checkPresent();
  const { bodyUserId } = service.settings;
  const address = service.addressOf(client);
  const user = { principal, bodyUserId, address };
  const telemetry = service.telemetryFor(client.socket.handshake.headers);
  const allowsWebhook = service.runs?.webhooks.allowsCallers;
  const rules = { subject, readInput: readMessage, ...user, hostOptions, readKeys: () => keys, telemetry, where };
  return { name, requested: readRunFields(fields, { ...rules, allowsWebhook }), idempotencyKey };
}

/** Returns the fields of a payload. Throws `invalid_request` if it is not an object, or has an unknown field. */
export function readFields<Name extends string>(
  payload: unknown,
  allowed: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  if (ArrayBuffer.isView(payload)) throw invalid("The payload must be a JSON object, got binary data.");
  const fields = readClientObject(payload, where);
  checkFieldNames(Object.keys(fields), allowed, where);
  return fields as Partial<Record<Name, unknown>>;
}

/**
 * Returns a field of a payload that must be a string of 1 to 256 characters, such as a name or an id. Throws otherwise.
 */
export function readText(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "" && value.length <= longestId) return value;
  throw invalid(`${name} must be a string of 1 to ${longestId} characters.`);
}

/** Returns the strings of a handshake and a payload that may be secrets, so that a log can hide them. */
export function secretsOf({ handshake }: Socket, payload: unknown): string[] {
  const { apiKey, apiKeys } = Object(payload) as { readonly apiKey?: unknown; readonly apiKeys?: unknown };
  const sent = [apiKey, handshake.headers.authorization, ...valuesOf(apiKeys), ...valuesOf(handshake.auth)];
  return sent.filter((each) => typeof each === "string");
}

function valuesOf(value: unknown): unknown[] {
  return Object.values(Object(value) as Record<string, unknown>);
}

/**
 * Reads the API key of the handshake only if the payload has none. Otherwise a malformed key of the handshake would
 * cause the refusal of requests that have their own key.
 */
function readHandshakeKey(
  { handshake }: Socket,
  { apiKey }: { readonly apiKey?: unknown },
): ReturnType<typeof readPayloadApiKeys> {
  const auth = Object(handshake.auth) as { readonly apiKey?: unknown };
  if ((apiKey ?? undefined) !== undefined || !Object.hasOwn(auth, "apiKey")) return { apiKeys: {} };
  return { apiKeys: {}, apiKey: checkApiKey(auth.apiKey, "auth.apiKey of the handshake") };
}

function readIdempotencyKey(key: unknown): string | undefined {
  if (key === undefined || (typeof key === "string" && keyForm.test(key))) return key;
  throw invalid("idempotencyKey must be 1 to 255 visible ASCII characters without spaces, such as a new UUID.");
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
