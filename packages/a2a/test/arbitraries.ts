import fc from "fast-check";
import type { A2AArtifact, A2AEvent, A2AMessage, A2APart, A2AStatus, A2ATask, A2ATaskState } from "../src/wire/task.ts";

/** All states of a task. */
export const taskStates: readonly A2ATaskState[] = [
  "submitted",
  "working",
  "input-required",
  "auth-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
];

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const id = fc.uuid();
// Without -0, which JSON does not know.
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const metadata = fc.dictionary(fc.constantFrom("agent", "source", "x-1", "constructor"), json, {
  noNullPrototype: true,
});
const data = fc.dictionary(fc.string({ maxLength: 5 }), json, { noNullPrototype: true });
const base64 = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const url = fc.constantFrom("https://example.org/a.png", "http://example.org/report", "https://example.org/x?y=1#z");
const mediaType = fc.constantFrom("image/png", "text/csv", "application/pdf", "application/octet-stream");
const file = { mediaType, filename: fc.constantFrom("a.png", "b.txt"), metadata };

/** Options of a record whose other fields may be missing. */
function required<Name extends string>(...requiredKeys: Name[]): { requiredKeys: Name[]; noNullPrototype: true } {
  return { requiredKeys, noNullPrototype: true };
}

/** Parts that every version can carry. */
export const part: fc.Arbitrary<A2APart> = fc.oneof(
  fc.record({ kind: fc.constant("text" as const), text, metadata }, required("kind", "text")),
  fc.record({ kind: fc.constant("bytes" as const), base64, ...file }, required("kind", "base64")),
  fc.record({ kind: fc.constant("url" as const), url, ...file }, required("kind", "url")),
  fc.record({ kind: fc.constant("data" as const), data, metadata }, required("kind", "data")),
);

const parts = fc.array(part, { minLength: 1, maxLength: 4 });
const names = fc.array(fc.constantFrom("https://example.org/extension", "b"), { maxLength: 2 });

/** Messages of clients and agents. */
export const message: fc.Arbitrary<A2AMessage> = fc.record(
  {
    messageId: id,
    role: fc.constantFrom("user" as const, "agent" as const),
    parts,
    contextId: id,
    taskId: id,
    metadata,
    extensions: names,
    referenceTaskIds: names,
  },
  required("messageId", "role", "parts"),
);

const status: fc.Arbitrary<A2AStatus> = fc.record(
  { state: fc.constantFrom(...taskStates), at: fc.integer({ min: 0, max: 4e12 }), message },
  required("state", "at"),
);

const artifact: fc.Arbitrary<A2AArtifact> = fc.record(
  { artifactId: id, name: text, description: text, parts, metadata, extensions: names },
  required("artifactId", "parts"),
);

/** Tasks in any state. */
export const task: fc.Arbitrary<A2ATask> = fc.record(
  {
    id,
    contextId: id,
    status,
    artifacts: fc.array(artifact, { maxLength: 3 }),
    history: fc.array(message, { maxLength: 3 }),
    metadata,
  },
  required("id", "contextId", "status", "artifacts", "history"),
);

/** Events of streams. */
export const event: fc.Arbitrary<A2AEvent> = fc.oneof(
  fc.record({ type: fc.constant("task" as const), task }),
  fc.record({ type: fc.constant("message" as const), message }),
  fc.record({ type: fc.constant("status" as const), taskId: id, contextId: id, status }),
  fc.record({
    type: fc.constant("artifact" as const),
    taskId: id,
    contextId: id,
    artifact,
    append: fc.boolean(),
    isLast: fc.boolean(),
  }),
);
