import fc from "fast-check";
import { message0, message1, request } from "./requests.ts";

/** A body that a client may send, and what must come of it: a call, or an error with its code, and the id of the answer. */
export type AnyBody = {
  readonly body: string;
  readonly version: string | undefined;
  /** The operation of a call that is right. */
  readonly op?: string;
  /** The code of the error of a call that is wrong; `undefined` beside no `op` if either may come. */
  readonly code?: number;
  /** The id of the answer; absent where it cannot be told. */
  readonly id?: string | number | null;
};

const configuration = { blocking: true, acceptedOutputModes: ["text/plain"], historyLength: 3 };

/** A right call of each method: its name, its operation, its parameters. */
const calls: readonly (readonly [method: string, op: string, params: object])[] = [
  ["message/send", "send", { message: message0, configuration, metadata: { agent: "a" } }],
  ["message/stream", "stream", { message: { ...message0, contextId: "c", taskId: "t" } }],
  ["tasks/get", "get", { id: "t", historyLength: 0 }],
  ["tasks/cancel", "cancel", { id: "t" }],
  ["tasks/resubscribe", "subscribe", { id: "t" }],
  ["SendMessage", "send", { message: message1, configuration: { returnImmediately: true }, tenant: "a" }],
  ["SendStreamingMessage", "stream", { message: { ...message1, metadata: {} } }],
  ["GetTask", "get", { id: "t", historyLength: 5 }],
  ["CancelTask", "cancel", { id: "t", metadata: {} }],
  ["SubscribeToTask", "subscribe", { id: "t" }],
  ["GetExtendedAgentCard", "extended-card", {}],
  ["agent/getAuthenticatedExtendedCard", "extended-card", {}],
  ["ListTasks", "list", { pageSize: 10, status: "TASK_STATE_WORKING", includeArtifacts: true }],
];

/** Values that are right nowhere in `wrongPlaces`. */
const wrongValues = [
  1.5,
  -1,
  true,
  "",
  " ",
  [],
  [1],
  {},
  { a: 1 },
  "\ud800",
  Array.from({ length: 3 }, () => [{}]),
] as const;

/** Places of a parameter, and those of the values above that are wrong there. */
const wrongPlaces: Readonly<Record<string, (value: unknown) => boolean>> = {
  message: (value) => value !== null,
  "message.messageId": (value) => typeof value !== "string" || !/^[a-z]/.test(value),
  "message.role": () => true,
  "message.parts": () => true,
  "message.contextId": (value) => typeof value !== "string" || value === "\ud800",
  "message.metadata": (value) => typeof value !== "object" || Array.isArray(value),
  "message.extensions": (value) => !Array.isArray(value) || value.length > 0,
  configuration: (value) => typeof value !== "object" || Array.isArray(value),
  "configuration.historyLength": () => true,
  id: (value) => typeof value !== "string" || !/^[a-z]/.test(value),
  pageSize: () => true,
  status: (value) => value !== "",
  includeArtifacts: (value) => value !== true,
  tenant: (value) => typeof value !== "string" || value === "\ud800",
};

/** The places that each operation reads. */
function placesOf(op: string, params: object): string[] {
  return Object.keys(wrongPlaces).filter((place) => {
    const [first = ""] = place.split(".");
    if (op === "send" || op === "stream") return first === "message" || first === "configuration";
    return first in params && first !== "tenant";
  });
}

/** Returns the parameters with a value at a place. */
function withValue(params: object, place: string, value: unknown): object {
  const [first = "", ...rest] = place.split(".");
  const inner = (params as Record<string, unknown>)[first];
  const put = rest.length === 0 ? value : withValue(inner ?? {}, rest.join("."), value);
  return { ...params, [first]: put };
}

const versions0 = fc.constantFrom(undefined, "", "0.3", "0.2.5", "0.3.0", " 0.3", "1.0");
const versions1 = fc.constantFrom(undefined, "1.0", "1.0.1");
const ids = fc.oneof(
  fc.string({ maxLength: 256 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(null),
);
const call = fc.constantFrom(...calls);

function versionFor(method: string): fc.Arbitrary<string | undefined> {
  return method.includes("/") ? versions0 : versions1;
}

/** Makes an id as JSON reads it: -0 is 0, and half of a surrogate pair is no id. */
const id = ids
  .filter((value) => typeof value !== "string" || value.isWellFormed())
  .map((value) => (Object.is(value, -0) ? 0 : value));

const right: fc.Arbitrary<AnyBody> = fc
  .tuple(call, id, fc.boolean())
  .chain(([[method, op, params], ofRequest, isIndented]) =>
    versionFor(method).map((version) => {
      const body = JSON.stringify(request(method, { ...params, later: [{}] }, ofRequest), null, isIndented ? 2 : 0);
      return { body, version, op, id: ofRequest };
    }),
  );

const wrongParameter: fc.Arbitrary<AnyBody> = fc
  .tuple(call, id, fc.nat(), fc.constantFrom(...wrongValues))
  .chain(([[method, op, params], ofRequest, pick, value]) => {
    const places = placesOf(op, params).filter((place) => wrongPlaces[place]?.(value));
    const place = places[pick % places.length];
    const sent = place === undefined ? params : withValue(params, place, value);
    const outcome = place === undefined ? { op } : { code: -32602 };
    return versionFor(method).map((version) => {
      return { body: JSON.stringify(request(method, sent, ofRequest)), version, id: ofRequest, ...outcome };
    });
  });

/** Frames that are no request of JSON-RPC 2.0, by what is wrong. */
const wrongFrames: readonly (readonly [change: object, code: number, isIdKept: boolean])[] = [
  [{ jsonrpc: "1.0" }, -32600, true],
  [{ jsonrpc: 2 }, -32600, true],
  [{ jsonrpc: undefined }, -32600, true],
  [{ method: undefined }, -32600, true],
  [{ method: "" }, -32600, true],
  [{ method: 1 }, -32600, true],
  [{ method: {} }, -32601, true],
  [{ method: "tasks/send" }, -32601, true],
  [{ method: "__proto__" }, -32601, true],
  [{ method: "sendmessage" }, -32601, true],
  [{ id: {} }, -32600, false],
  [{ id: [1] }, -32600, false],
  [{ id: true }, -32600, false],
  [{ id: "x".repeat(257) }, -32600, false],
  [{ params: [] }, -32602, true],
  [{ params: "t" }, -32602, true],
  [{ params: { "": 1 } }, -32602, true],
  [{ method: "CreateTaskPushNotificationConfig" }, -32003, true],
  [{ method: "tasks/pushNotificationConfig/list" }, -32003, true],
];

const wrongFrame: fc.Arbitrary<AnyBody> = fc
  .tuple(call, id, fc.constantFrom(...wrongFrames))
  .map(([[method, , params], ofRequest, [change, code, isIdKept]]) => {
    const body = JSON.stringify({ ...request(method, params, ofRequest), ...change });
    return { body, version: undefined, code, id: isIdKept ? ofRequest : null };
  });

const wrongVersion: fc.Arbitrary<AnyBody> = fc
  .tuple(call, id, fc.constantFrom("99.0", "0.1", "1.1", "2", "next", "1.0,1.0", "constructor"))
  .map(([[method, , params], ofRequest, version]) => {
    return { body: JSON.stringify(request(method, params, ofRequest)), version, code: -32009, id: ofRequest };
  });

const batch: fc.Arbitrary<AnyBody> = fc
  .array(call, { maxLength: 3 })
  .map((batched) => JSON.stringify(batched.map(([method, , params], index) => request(method, params, index))))
  .map((body) => ({ body, version: undefined, code: -32600, id: null }));

const deep: fc.Arbitrary<AnyBody> = fc
  .tuple(fc.integer({ min: 64, max: 5000 }), fc.boolean())
  .map(([levels, isArray]) => {
    const nested = isArray
      ? "[".repeat(levels) + "]".repeat(levels)
      : '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
    const body = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t","metadata":{"a":${nested}}}}`;
    return { body, version: undefined, code: -32602, id: 1 };
  });

/** Bodies that were cut off. No JSON object is whole before its last character. */
const cut: fc.Arbitrary<AnyBody> = fc
  .tuple(call, fc.double({ min: 0, max: 0.99, noNaN: true }))
  .map(([[method, , params], share]) => JSON.stringify(request(method, params)).slice(0, Math.ceil(share * 60)))
  .map((body) => ({ body, version: undefined, code: -32700, id: null }));

const anything: fc.Arbitrary<AnyBody> = fc
  .oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((params) => JSON.stringify(request("message/send", params))),
    fc.jsonValue().map((message) => JSON.stringify(request("SendMessage", { message }))),
    fc
      .jsonValue()
      .map((parts) => JSON.stringify(request("message/send", { message: { ...message0, parts: [parts] } }))),
  )
  .chain((body) => fc.option(fc.string({ maxLength: 8 }), { nil: undefined }).map((version) => ({ body, version })));

/** Bodies of every kind: right, wrong in one place, cut off, batches, deep, and anything. */
export const anyBody: fc.Arbitrary<AnyBody> = fc.oneof(
  { arbitrary: right, weight: 4 },
  { arbitrary: wrongParameter, weight: 6 },
  { arbitrary: wrongFrame, weight: 4 },
  wrongVersion,
  batch,
  deep,
  cut,
  { arbitrary: anything, weight: 3 },
);
