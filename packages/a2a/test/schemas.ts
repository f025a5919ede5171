import { Ajv } from "ajv";
import type { AnySchema } from "ajv";

/** An object of these fields alone; those whose names end in `!` are required. */
function object(fields: Record<string, AnySchema>): AnySchema {
  const entries = Object.entries(fields).map(([name, schema]) => [name.replace("!", ""), schema] as const);
  const required = Object.keys(fields).flatMap((name) => (name.endsWith("!") ? [name.slice(0, -1)] : []));
  return { type: "object", additionalProperties: false, required, properties: Object.fromEntries(entries) };
}

const string = { type: "string" };
const full = { type: "string", minLength: 1 };
const boolean = { type: "boolean" };
const struct = { type: "object" };
const strings = { type: "array", items: string };
const ref = (name: string): AnySchema => ({ $ref: `#/$defs/${name}` });
const some = (name: string): AnySchema => ({ type: "array", minItems: 1, items: ref(name) });
/** By both versions: ISO 8601 in UTC. */
const timestamp = { type: "string", pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$` };
const base64 = { type: "string", pattern: "^[A-Za-z0-9+/]+={0,2}$" };

const stateNames = [
  "submitted",
  "working",
  "input-required",
  "auth-required",
  "completed",
  "canceled",
  "failed",
  "rejected",
];
const states1 = stateNames.map((name) => `TASK_STATE_${name.toUpperCase().replace("-", "_")}`);

const partFields = { metadata: struct, filename: string, mediaType: string };

/** Shapes of A2A 1.0, from the definition of the protocol. Fields that it does not have are wrong. */
const shapes1 = {
  Part: {
    oneOf: [
      object({ "text!": string, ...partFields }),
      object({ "raw!": base64, ...partFields }),
      object({ "url!": full, ...partFields }),
      object({ "data!": {}, ...partFields }),
    ],
  },
  Message: object({
    "messageId!": full,
    contextId: full,
    taskId: full,
    "role!": { enum: ["ROLE_USER", "ROLE_AGENT"] },
    "parts!": some("Part"),
    metadata: struct,
    extensions: strings,
    referenceTaskIds: strings,
  }),
  TaskStatus: object({ "state!": { enum: states1 }, message: ref("Message"), timestamp }),
  Artifact: object({
    "artifactId!": full,
    name: string,
    description: string,
    "parts!": some("Part"),
    metadata: struct,
    extensions: strings,
  }),
  Task: object({
    "id!": full,
    "contextId!": full,
    "status!": ref("TaskStatus"),
    artifacts: some("Artifact"),
    history: some("Message"),
    metadata: struct,
  }),
  StreamResponse: {
    oneOf: [
      object({ "task!": ref("Task") }),
      object({ "message!": ref("Message") }),
      object({
        "statusUpdate!": object({
          "taskId!": full,
          "contextId!": full,
          "status!": ref("TaskStatus"),
          metadata: struct,
        }),
      }),
      object({
        "artifactUpdate!": object({
          "taskId!": full,
          "contextId!": full,
          "artifact!": ref("Artifact"),
          append: boolean,
          lastChunk: boolean,
          metadata: struct,
        }),
      }),
    ],
  },
  SendMessageResponse: { oneOf: [object({ "task!": ref("Task") }), object({ "message!": ref("Message") })] },
  ListTasksResponse: object({
    "tasks!": { type: "array", items: ref("Task") },
    "nextPageToken!": string,
    "pageSize!": { type: "integer", minimum: 0 },
    "totalSize!": { type: "integer", minimum: 0 },
  }),
  AgentCard: object({
    "name!": full,
    "description!": full,
    "supportedInterfaces!": some("AgentInterface"),
    provider: object({ "url!": full, "organization!": full }),
    "version!": full,
    documentationUrl: string,
    "capabilities!": object({
      streaming: boolean,
      pushNotifications: boolean,
      extensions: { type: "array" },
      extendedAgentCard: boolean,
    }),
    securitySchemes: struct,
    securityRequirements: { type: "array", items: object({ "schemes!": struct }) },
    "defaultInputModes!": { ...strings, minItems: 1 },
    "defaultOutputModes!": { ...strings, minItems: 1 },
    "skills!": some("AgentSkill"),
    iconUrl: string,
  }),
  AgentInterface: object({
    "url!": full,
    "protocolBinding!": full,
    tenant: string,
    "protocolVersion!": { pattern: "^\\d+\\.\\d+$" },
  }),
  AgentSkill: object({
    "id!": full,
    "name!": full,
    "description!": full,
    "tags!": { ...strings, minItems: 1 },
    examples: strings,
    inputModes: strings,
    outputModes: strings,
  }),
  RestError: object({
    "error!": object({
      "code!": { type: "integer", minimum: 400, maximum: 599 },
      "status!": { type: "string", pattern: "^[A-Z_]+$" },
      "message!": full,
      "details!": { type: "array", minItems: 1, items: { type: "object", required: ["@type"] } },
    }),
  }),
  Error: object({
    "code!": { type: "integer" },
    "message!": full,
    data: { type: "array", items: { type: "object", required: ["@type"] } },
  }),
};

const file0 = { mimeType: string, name: string };

/** Shapes of A2A 0.2.5 and 0.3, which are the same over JSON-RPC. */
const shapes0 = {
  Part: {
    oneOf: [
      object({ "kind!": { const: "text" }, "text!": string, metadata: struct }),
      object({
        "kind!": { const: "file" },
        "file!": { oneOf: [object({ "bytes!": base64, ...file0 }), object({ "uri!": full, ...file0 })] },
        metadata: struct,
      }),
      object({ "kind!": { const: "data" }, "data!": struct, metadata: struct }),
    ],
  },
  Message: object({
    "kind!": { const: "message" },
    "messageId!": full,
    contextId: full,
    taskId: full,
    "role!": { enum: ["user", "agent"] },
    "parts!": some("Part"),
    metadata: struct,
    extensions: strings,
    referenceTaskIds: strings,
  }),
  TaskStatus: object({ "state!": { enum: stateNames }, message: ref("Message"), timestamp }),
  Artifact: shapes1.Artifact,
  Task: object({
    "kind!": { const: "task" },
    "id!": full,
    "contextId!": full,
    "status!": ref("TaskStatus"),
    artifacts: some("Artifact"),
    history: some("Message"),
    metadata: struct,
  }),
  StreamResponse: {
    oneOf: [
      ref("Task"),
      ref("Message"),
      object({
        "kind!": { const: "status-update" },
        "taskId!": full,
        "contextId!": full,
        "status!": ref("TaskStatus"),
        "final!": boolean,
        metadata: struct,
      }),
      object({
        "kind!": { const: "artifact-update" },
        "taskId!": full,
        "contextId!": full,
        "artifact!": ref("Artifact"),
        append: boolean,
        lastChunk: boolean,
        metadata: struct,
      }),
    ],
  },
  SendMessageResponse: { oneOf: [ref("Task"), ref("Message")] },
  Error: object({ "code!": { type: "integer" }, "message!": full, data: {} }),
};

/** The name of a shape that is checked in every version. */
export type ShapeName = keyof typeof shapes0;

const validators = {
  "0": compile(shapes0),
  "1": compile(shapes1),
};

function compile(shapes: Record<string, AnySchema>): (name: string, value: unknown) => string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema({ $id: "shapes", $defs: shapes });
  const checks = new Map(
    Object.keys(shapes).map((name) => [name, ajv.compile({ $ref: `shapes#/$defs/${name}` })] as const),
  );
  return (name, value) => {
    const check = checks.get(name);
    if (check === undefined) return [`There is no shape ${name}.`];
    if (check(value)) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

/** Returns what is wrong with a value by the shape of A2A 1.0. */
export function problems1(name: keyof typeof shapes1, value: unknown): string[] {
  return validators["1"](name, value);
}

/** Returns what is wrong with a value by the shape of A2A 1.0, where fields that are not known are taken. */
export function problems1Open(name: keyof typeof shapes1, value: unknown): string[] {
  return problems1(name, value).filter((problem) => !problem.endsWith("must NOT have additional properties"));
}

/** Returns what is wrong with a value by the shape of A2A 0.2.5 and 0.3. */
export function problems0(name: ShapeName, value: unknown): string[] {
  return validators["0"](name, value);
}
