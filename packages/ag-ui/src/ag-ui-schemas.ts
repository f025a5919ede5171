import type { ServedWorkflow } from "@troupe/core/service";

type Schema = Readonly<Record<string, unknown>>;

/** Returns a reference to a component of the document. */
export function ref(kind: string, name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

const anyObject = { type: "object", additionalProperties: true };
const string = { type: "string" };
const optionalString = { ...string, nullable: true };

const message = {
  anyOf: [ref("schemas", "AgUiUserMessage"), ref("schemas", "AgUiOtherMessage")],
  description: "A message of the thread.",
};

const requestFields = {
  threadId: {
    type: "string",
    pattern: "^([\\w:@-][\\w.:@-]{0,127}|\\.[\\w:@-][\\w.:@-]{0,126}|\\.\\.[\\w.:@-]{1,126})$",
    description: "The id of the thread, which is that of its session.",
  },
  runId: {
    type: "string",
    minLength: 1,
    maxLength: 256,
    description: "The id that the client gives the run. Within a thread, each run has one of its own.",
  },
  protocolVersion: { ...optionalString, description: "Left out by clients of the revision 0.0.59." },
  messages: {
    type: "array",
    items: message,
    description: "The messages of the thread, of which the last one of the user is read. It must not be blank.",
  },
  tools: {
    type: "array",
    nullable: true,
    maxItems: 128,
    items: {
      ...anyObject,
      properties: {
        name: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$" },
        description: optionalString,
        parameters: { ...anyObject, nullable: true, description: "The JSON Schema of the arguments." },
      },
      required: ["name"],
    },
    description: "The tools that the front end executes itself, with names that the agent's own tools do not have.",
  },
  resume: {
    type: "array",
    nullable: true,
    items: {
      ...anyObject,
      properties: { interruptId: string, status: { type: "string", enum: ["resolved", "cancelled"] } },
      required: ["interruptId", "status"],
    },
    description: "Answers to the interrupts of the thread's run.",
  },
};

const request = {
  ...anyObject,
  description: "A request of AG-UI, in version 1.0 or of the revision 0.0.59. Other fields are ignored.",
  properties: requestFields,
  required: ["threadId", "runId", "messages"],
};

/** The schema of an invalid request: it has no message of a user or tool, and answers no interrupt. */
const saysNothing = {
  properties: {
    messages: { type: "array", items: { properties: { role: { not: { type: "string", enum: ["user", "tool"] } } } } },
    resume: { type: "array", items: {}, nullable: true, maxItems: 0 },
  },
};

/** The OpenAPI schemas of a request of AG-UI, of its messages, and of events. */
export const agUiSchemas: Readonly<Record<string, Schema>> = {
  // The rule between the fields is written as `not`, which client generators ignore.
  AgUiRequest: { ...request, not: saysNothing },
  AgUiUserMessage: {
    ...anyObject,
    description: "A message of the user. The one that is read must not be blank.",
    properties: {
      id: optionalString,
      role: { type: "string", enum: ["user"] },
      content: {
        anyOf: [string, { type: "array", maxItems: 100, items: ref("schemas", "AgUiPart") }],
        description: "A text, or parts.",
      },
    },
    required: ["role", "content"],
  },
  AgUiPart: {
    ...anyObject,
    description:
      "A part of a message: `text` with its `text`, or `image`, `audio`, `video` and `document` with a `source`. Other types are ignored.",
    properties: { type: string, text: optionalString, source: { ...anyObject, nullable: true } },
    required: ["type"],
  },
  AgUiOtherMessage: {
    ...anyObject,
    description: "A message of anybody else. Of those, the service reads the results of the front end's tools.",
    properties: { id: optionalString, role: { type: "string", not: { type: "string", enum: ["user"] } } },
    required: ["role"],
  },
  AgUiEvent: {
    ...anyObject,
    description: "An event of AG-UI.",
    properties: { type: string },
    required: ["type"],
  },
};

/** Returns the schema of a request for a run of a workflow, with the keys of its state. */
export function workflowSchema({ inputKinds, inputSchema, readsText }: ServedWorkflow): Schema {
  const { properties: declared } = Object(inputSchema) as { readonly properties?: object };
  const properties = Object.fromEntries(
    declared === undefined
      ? [...(inputKinds ?? [])].map(([key, kind]) => [key, kinds[kind]])
      : Object.keys(declared).map((key) => [key, {}]),
  );
  const use =
    readsText === false
      ? "The keys that the state of the workflow begins with."
      : "The keys that the state of the workflow begins with, if there is no message of the user.";
  const state = { ...anyObject, nullable: true, properties, description: `${use} Other keys are ignored.` };
  return { ...request, properties: { ...requestFields, state } };
}

const kinds = {
  string,
  number: { type: "number" },
  boolean: { type: "boolean" },
  list: { type: "array", items: {} },
  object: anyObject,
  open: {},
};
