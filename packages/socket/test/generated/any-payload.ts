import { anything, array, constant, constantFrom, json, oneof, record, string, tuple, uint8Array } from "fast-check";

/** Names and ids that reach the service's own objects where a lookup is careless. */
const nasty = ["__proto__", "constructor", "hasOwnProperty", "toString", "", "\u0000", "\ud800", "a".repeat(5000)];
const name = oneof(constantFrom("a", "slow", "desk", "missing", ...nasty, null, 7, {}), string());
const part = record(
  {
    type: constantFrom("text", "image", "audio", "file", "video", 7),
    text: string(),
    data: oneof(string(), uint8Array({ maxLength: 20 })),
    mimeType: constantFrom("image/png", "", null),
  },
  { requiredKeys: ["type"] },
);
const input = oneof(string(), array(part, { maxLength: 3 }), constantFrom(null, 7, true, "", []), uint8Array());
const id = oneof(string(), constantFrom("s", null, 7, {}, ...nasty));

/** Payloads of runs whose fields are often right. */
const nearlyRight = record(
  {
    name,
    input,
    sessionId: id,
    userId: id,
    apiKey: oneof(string(), constantFrom("sk-1", "", [], "a b", "sk\n")),
    apiKeys: constantFrom({ openai: "sk-1" }, { openai: 7 }, [], "sk", { nowhere: "sk-1" }),
    messages: oneof(array(record({ role: string(), content: string() }), { maxLength: 2 }), constantFrom(null, 7)),
    idempotencyKey: id,
    foreign: constantFrom(1, null),
    ["__proto__"]: constantFrom({ polluted: true }),
  },
  { requiredKeys: [] },
);
const right = constantFrom({ name: "a", input: "Hello?" }, { name: "slow", input: "Hello?", sessionId: "s" });
const aboutRun = record(
  { runId: id, waitId: id, after: oneof(id, constantFrom(-1, 1e300)), answer: anything({ maxDepth: 2 }) },
  { requiredKeys: [] },
);
const other = oneof(
  anything({ withNullPrototype: true, withTypedArray: true, withSparseArray: true, withDate: true }),
  constantFrom(undefined, null, [], "", 0, true, nestedIn(300)),
  uint8Array(),
);

/** An event as a client may emit it, with an acknowledgement callback behind its arguments or without one. */
export type AnyEvent = { event: string; args: unknown[]; isAcknowledged: boolean };

const named = (...names: string[]) => constantFrom(...names);
const runEvent = named("agent.run", "team.run");
const events = oneof(
  { weight: 6, arbitrary: tuple(runEvent, tuple(oneof({ weight: 2, arbitrary: right }, nearlyRight, other))) },
  {
    weight: 2,
    arbitrary: tuple(named("agent.cancel", "agent.attach", "agent.answer"), tuple(oneof(aboutRun, nearlyRight, other))),
  },
  { weight: 1, arbitrary: tuple(runEvent, array(oneof(other, right), { maxLength: 3 })) },
  { weight: 1, arbitrary: tuple(named("agent.nothing", "error", "agent.done", "message"), array(other)) },
);

/** Events of any name with any arguments; most of them are those of the gateway with nearly the right payload. */
export const anyEvent = tuple(events, constantFrom(true, false)).map(([[event, args], isAcknowledged]): AnyEvent => ({
  event,
  args,
  isAcknowledged,
}));

const eventName = constantFrom('"agent.run"', '"agent.cancel"', '"team.run"', '"agent.attach"', '"agent.answer"');
const oddName = constantFrom("7", "null", "{}", "[]", '{"a":1}', '"__proto__"', '"constructor"', '"disconnect"');
const reservedName = constantFrom('"connect"', '"disconnecting"', '"newListener"', '"removeListener"', '"error"');
const namespace = constantFrom("/service,", "/service,", "/service,", "", "/nowhere,", "/service", "/SERVICE,", "/,");
const packetId = constantFrom("", "", "1", "0", "-1", "99999999999999999999", "1.5");
const payload = oneof(
  json(),
  constant('{"name":"a","input":"Hello?"}'),
  constant('{"__proto__":{"polluted":true},"name":"a","input":"Hello?"}'),
  constant("[".repeat(20_000) + "]".repeat(20_000)),
);
const eventFrame = tuple(namespace, packetId, oneof(eventName, oddName, reservedName), payload).map(
  ([place, ack, event, sent]) => `42${place}${ack}[${event},${sent}]`,
);
const placeholder = constantFrom(
  '{"_placeholder":true,"num":0}',
  '{"_placeholder":true,"num":7}',
  '{"_placeholder":true,"num":-1}',
  '{"_placeholder":true,"num":"length"}',
  '{"_placeholder":1}',
);
const attachmentFrame = tuple(
  constantFrom("45", "46"),
  constantFrom("1-", "2-", "0-", "-", "10000-", "99999999999999-", "-1-", "1.5-"),
  namespace,
  packetId,
  tuple(eventName, placeholder),
).map(([type, count, place, ack, [event, held]]) => `${type}${count}${place}${ack}[${event},${held}]`);
const oddFrame = constantFrom(
  ..."0|1|2|2probe|3|4|5|6|9|40|40/service,|40/nowhere,|41|41/service,|42|42/service,|42/service,[]|42/service,{}".split(
    "|",
  ),
  ...'43/service,1[]|43/service,[7]|43/service,0|44/service,{"message":"no"}|45|47|48/service,["x"]|4\u0000'.split("|"),
  "",
);

/** Frames as only a hostile client sends them: texts of the protocols beneath, most of them broken, and bytes. */
export const anyFrame = oneof(
  { weight: 4, arbitrary: eventFrame },
  { weight: 2, arbitrary: attachmentFrame },
  { weight: 2, arbitrary: oddFrame },
  { weight: 1, arbitrary: string() },
  { weight: 1, arbitrary: uint8Array({ maxLength: 100 }) },
);

function nestedIn(depth: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
