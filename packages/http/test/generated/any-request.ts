import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  json,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
  webSegment,
} from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect } from "vitest";
import { counter, desk, talker } from "../runnables.ts";
import { serve } from "../serve.ts";
import type { Answer } from "../service.ts";

const collection = constantFrom("agents", "teams", "workflows", "runs", "sessions");
const words = "run stream cancel turns a __proto__ constructor %00 ..%2f %zz".split(" ");
const segment = oneof({ weight: 2, arbitrary: constantFrom(...words, "") }, { weight: 1, arbitrary: webSegment() });
const anyPath = tuple(collection, array(segment, { maxLength: 4 }))
  .map(([first, rest]) => [first, ...rest].join("/"))
  .filter(isOurs);
const served =
  "agents/a/run agents/a/stream teams/a/run workflows/a/run workflows/a/stream sessions/s sessions/s/turns";
const path = oneof(anyPath, constantFrom(...served.split(" ")));

const part = record(
  {
    type: constantFrom("text", "image", "audio", "file", "video", 7),
    text: string(),
    data: string(),
    mimeType: constantFrom("image/png", "", null),
  },
  { requiredKeys: ["type"] },
);
const nearlyRight = record(
  {
    input: oneof(
      string(),
      array(part, { maxLength: 3 }),
      record({ count: oneof(string(), constantFrom(1, null)) }),
      constantFrom(null, 7, true),
    ),
    sessionId: oneof(string(), constantFrom("s", "", null, 7)),
    userId: oneof(string(), constantFrom("ada", "", {})),
    apiKey: oneof(string(), constantFrom("sk-1", "", [])),
    ["__proto__"]: constantFrom({ polluted: true }),
  },
  { requiredKeys: [] },
).map((body) => JSON.stringify(body));
const right = constantFrom('{"input":"Hello?","sessionId":"s"}', '{"input":{"count":3}}');
const body = oneof(
  { weight: 3, arbitrary: right },
  { weight: 3, arbitrary: nearlyRight },
  { weight: 1, arbitrary: json() },
  { weight: 1, arbitrary: string() },
  { weight: 1, arbitrary: uint8Array() },
);
const headers = record(
  {
    "content-type": constantFrom(
      "application/json",
      "application/json; charset=utf-8",
      "text/plain",
      "",
      ";",
      "application/json;charset=x",
    ),
    "content-encoding": constantFrom("gzip", "identity", ""),
    "x-request-id": constantFrom("r", "<", ""),
    "x-api-key": constantFrom("sk-1", "a b", ""),
    "x-openai-api-key": constantFrom("sk-1", "a b", ""),
  },
  { requiredKeys: [] },
);
/** Returns true if the path belongs to the router even after a client has resolved each `..` in it. */
function isOurs(place: string): boolean {
  return /^\/(agents|teams|workflows|runs|sessions)(\/|$)/.test(new URL(`/${place}`, "http://host").pathname);
}

const method = oneof(constantFrom("POST"), constantFrom("POST", "GET", "DELETE", "PUT", "PATCH", "OPTIONS"));

const anyRequest = record({
  path,
  method,
  headers: oneof(constant({}), headers).map((sent) => ({ "content-type": "application/json", ...sent })),
  body,
});
type AnyRequest = typeof anyRequest extends Arbitrary<infer Made> ? Made : never;

const plain: AnyRequest = {
  path: "agents/a/run",
  method: "POST",
  headers: { "content-type": "application/json" },
  body: "{}",
};
/** A request for each status that every series of requests brings about. */
const examples: [AnyRequest][] = [
  [{ ...plain, body: '{"input":"Hello?","sessionId":"s"}' }],
  [plain],
  [{ ...plain, path: "agents/nobody/run" }],
  [{ ...plain, method: "DELETE" }],
  [{ ...plain, headers: { "content-type": "text/plain" } }],
];

/** Sends generated requests to a router. Each must get its answer, or an error in the common body. */
export async function askAnything(numRuns: number): Promise<{ statuses: Set<number>; lines: string[] }> {
  const service = await serve({
    agents: { a: talker(), run: talker() },
    teams: { a: desk() },
    workflows: { a: counter() },
  });
  const statuses = new Set<number>();
  const ask = async ({ path: place, method: verb, headers: sent, body: bytes }: AnyRequest) => {
    const hasBody = !["GET", "OPTIONS"].includes(verb);
    const init = { method: verb, headers: sent, ...(hasBody && { body: bytes as string }) };
    const answer = await service.ask(`/${place}`, init);
    statuses.add(answer.status);
    checkAnswer(answer);
  };
  await assert(asyncProperty(anyRequest, ask), { numRuns, examples });
  return { statuses, lines: service.lines };
}

function checkAnswer({ status, headers: received, json: answer }: Answer): void {
  expect(status).toBeLessThan(500);
  const requestId = received.get("x-request-id");
  expect(requestId).toMatch(/^[\w.:-]{1,128}$/);
  if (status < 400) return;
  const { error, ...more } = answer as { error: Record<string, unknown> };
  expect([Object.keys(more), error["requestId"], typeof error["code"]]).toEqual([[], requestId, "string"]);
  expect(error["message"]).toMatch(/\.$/);
}
