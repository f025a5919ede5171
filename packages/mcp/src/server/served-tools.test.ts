import type { Runnable } from "@troupe/core";
import type { Service } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { createMcpServer } from "./create-mcp-server.ts";
import { readServedTools } from "./served-tools.ts";

const agent = (more: object = {}) =>
  ({ kind: "agent", run: () => {}, stream: () => {}, ...more }) as unknown as Runnable;
const workflow = (more: object = {}) =>
  ({ name: "w", description: " Flows. ", run: () => {}, stream: () => {}, asRunnable: () => {}, ...more }) as never;

type Registries = Partial<Record<"agents" | "teams" | "workflows", object>>;

/** The tools of a service of these entries, which it has checked. */
function toolsOf(registries: Registries, mayBeEmpty = false): ReturnType<typeof readServedTools> {
  const mapOf = (registry: object = {}) => (registry instanceof Map ? registry : new Map(Object.entries(registry)));
  const { agents, teams, workflows } = registries;
  const service = { agents: mapOf(agents), teams: mapOf(teams), workflows: mapOf(workflows) } as unknown as Service;
  return readServedTools(service, { owner: "createMcpServer", mayBeEmpty });
}

const only = (registries: Registries, mayBeEmpty = false) => [...toolsOf(registries, mayBeEmpty).values()];

const sessionId = {
  type: "string",
  description: "Continues an earlier conversation: the sessionId of its answer. Leave it out to begin a new one.",
};
const count = { type: "integer", minimum: 0 };
const outputProperties = {
  text: { type: "string", description: "The answer." },
  structured: {},
  sessionId: { type: "string" },
  runId: { type: "string" },
  usage: {
    type: "object",
    properties: { promptTokens: count, completionTokens: count, totalTokens: count },
    required: ["promptTokens", "completionTokens", "totalTokens"],
  },
};
const shared = {
  outputSchema: { type: "object", properties: outputProperties, required: ["text", "sessionId", "runId", "usage"] },
  annotations: { openWorldHint: true },
  execution: { taskSupport: "optional" },
};

describe("the tool of an entry", () => {
  it.each(["agent", "team"] as const)("the tool of an entry that is of the kind %s asks it", (kind) => {
    const entry = agent({ description: " Helps. " });
    const [tool] = only({ [`${kind}s`]: { helper: entry } });
    expect(tool?.definition).toStrictEqual({
      name: "ask_helper",
      description: "Helps.",
      inputSchema: {
        type: "object",
        properties: {
          message: { type: "string", description: "The task or question, with all that it takes to answer it." },
          sessionId,
        },
        required: ["message"],
        additionalProperties: false,
      },
      ...shared,
    });
    expect(tool).toMatchObject({ argument: "message", target: { kind, name: "helper" } });
    expect(tool?.target.entry).toBe(entry);
  });

  it("the tool of an entry that is a workflow runs it", () => {
    const entry = workflow();
    const [tool] = only({ workflows: { flow: entry } });
    expect(tool?.definition).toStrictEqual({
      name: "run_flow",
      description: "Flows.",
      inputSchema: {
        type: "object",
        properties: {
          input: {
            anyOf: [{ type: "object" }, { type: "string" }],
            description: "An object is merged over the initial state; a string is the input of the first agent step.",
          },
          sessionId,
        },
        required: [],
        additionalProperties: false,
      },
      ...shared,
    });
    expect(tool).toMatchObject({ argument: "input", target: { kind: "workflow", name: "flow" } });
    expect(tool?.target.entry).toBe(entry);
  });

  it("has a description of its name where it has none", () => {
    const bare = workflow({ description: " " });
    const tools = only({ agents: { a: agent(), b: agent({ description: " " }) }, workflows: { c: bare } });
    expect(tools.map(({ definition }) => definition.description)).toEqual([
      "Asks a and returns the answer.",
      "Asks b and returns the answer.",
      "Runs the workflow c and returns its last state.",
    ]);
  });

  it("the tool of a workflow takes the input that the workflow declares, with its definitions at the root", () => {
    const $defs = { place: { type: "string" } };
    const declared = { type: "object", properties: { place: { $ref: "#/$defs/place" } }, required: ["place"] };
    const [tool] = only({ workflows: { flow: workflow({ inputSchema: { ...declared, $defs } }) } });
    expect(tool?.definition.inputSchema).toMatchObject({
      type: "object",
      $defs,
      properties: { input: { anyOf: [declared, { type: "string" }] } },
    });
  });

  it("the tool of an entry that is a workflow takes the keys of its state, by their kinds", () => {
    const kinds = ["string", "number", "boolean", "list", "object", "unknown"];
    const inputKinds = new Map(kinds.map((kind) => [`a ${kind}`, kind]));
    const [tool] = only({ workflows: { flow: workflow({ inputKinds }) } });
    expect(tool?.definition.inputSchema["properties"]).toMatchObject({
      input: {
        anyOf: [
          {
            type: "object",
            properties: {
              "a string": { type: "string" },
              "a number": { type: "number" },
              "a boolean": { type: "boolean" },
              "a list": { type: "array" },
              "a object": { type: "object" },
              "a unknown": {},
            },
            additionalProperties: false,
          },
          { type: "string" },
        ],
      },
    });
  });

  it.each([
    ["a.b c", "ask_a_b_c"],
    ["Grüße-9_A", "ask_Gr__e-9_A"],
    ["x".repeat(60), `ask_${"x".repeat(60)}`],
    ["x".repeat(61), `ask_${"x".repeat(60)}`],
  ])("the tool of an entry of the name %j is %j, and the name of the entry stays", (name, legal) => {
    const [tool] = only({ agents: new Map([[name, agent()]]) });
    expect([tool?.definition.name, tool?.target.name]).toEqual([legal, name]);
  });

  it("shows its schemas to the library, which checks nothing", () => {
    const shown = only({ agents: { a: agent() } }).flatMap(({ definition, shown: { inputSchema, outputSchema } }) => [
      [inputSchema["~standard"], definition.inputSchema] as const,
      [outputSchema["~standard"], definition.outputSchema] as const,
    ]);
    expect(shown).toHaveLength(2);
    for (const [{ jsonSchema, validate }, schema] of shown) {
      expect(jsonSchema.input({ target: "draft-2020-12" })).toBe(schema);
      expect(jsonSchema.output({ target: "draft-2020-12" })).toBe(schema);
      expect(validate(7)).toStrictEqual({ value: 7 });
    }
  });
});

describe("the schema of structured answers", () => {
  const schemaOf = (structuredOutput: object) =>
    only({ agents: { a: agent({ structuredOutput }) } })[0]?.definition.outputSchema;
  const object = { type: "object", properties: { a: { type: "string" } } };

  it.each<[string, object, object, object]>([
    ["as it is", object, object, {}],
    ["without $schema", { $schema: "https://json-schema.org/draft/2020-12/schema", ...object }, object, {}],
    [
      "with its definitions at the root",
      { ...object, $ref: "#/$defs/a", $defs: { a: {} }, definitions: { b: {} } },
      { ...object, $ref: "#/$defs/a" },
      { $defs: { a: {} }, definitions: { b: {} } },
    ],
    ["unless it refers to its root", { ...object, items: { $ref: "#" } }, {}, {}],
    ["unless it refers to a part of it", { items: { $ref: "#/properties/a" } }, {}, {}],
    ["unless it refers to another", { items: { $dynamicRef: "https://a.example" } }, {}, {}],
    ["unless it has an id", { ...object, $id: "https://a.example" }, {}, {}],
  ])("stands in the result, %s", (...[, schema, structured, definitions]) => {
    expect(schemaOf(schema)).toStrictEqual({
      type: "object",
      ...definitions,
      properties: { ...outputProperties, structured },
      required: ["text", "sessionId", "runId", "usage", "structured"],
    });
  });
});

describe("the registries", () => {
  it("make tools in the order of agents, teams and workflows", () => {
    const registries = { workflows: { a: workflow() }, teams: { b: agent() }, agents: { d: agent(), c: agent() } };
    expect([...toolsOf(registries).keys()]).toEqual(["ask_d", "ask_c", "ask_b", "run_a"]);
  });

  it.each<[string, object, string]>([
    [
      "two entries of one tool",
      { agents: { "a.b": agent() }, teams: { a_b: agent() } },
      'Two entries of createMcpServer would be the tool "ask_a_b". Register one of them under another name.',
    ],
    [
      "no entries",
      { agents: {}, teams: new Map() },
      "createMcpServer needs at least one entry in agents, teams or workflows, or the option extend.",
    ],
    ["an empty name", { teams: { "": agent() } }, 'The name "" in teams cannot be a segment of a path.'],
    [
      "a name that is no string",
      { agents: new Map([[7, agent()]]) },
      "The name 7 in agents cannot be a segment of a path.",
    ],
    [
      "a workflow as an agent",
      { agents: { a: workflow() } },
      'agents["a"] is a workflow. Register it in workflows, or as workflow.asRunnable().',
    ],
    [
      "an agent as a workflow",
      { workflows: { a: agent() } },
      'workflows["a"] must be a Workflow (agents and teams have options of their own), with the methods run, stream and asRunnable, got an object.',
    ],
    [
      "no runnable",
      { teams: { a: {} } },
      'teams["a"] must be an agent, a team or another Runnable, with the methods run and stream, got an object.',
    ],
    ["a list", { agents: [agent()] }, "agents must be an object or a Map of entries by name, got an array."],
    ["null", { teams: null }, "teams must be an object or a Map of entries by name, got null."],
    ["a text", { workflows: "a" }, "workflows must be an object or a Map of entries by name, got a string."],
  ])("are refused with %s", (_, registries, message) => {
    const refused = { code: "invalid_config", message: expect.stringContaining(message) as string };
    expect(() => createMcpServer(registries)).toThrow(expect.objectContaining(refused));
  });

  it("may have a blank name, which becomes a name of a tool all the same", () => {
    expect(only({ workflows: { "  ": workflow() } }).map(({ definition }) => definition.name)).toEqual(["run___"]);
  });

  it("may be empty where the host adds tools of its own", () => {
    expect(only({}, true)).toEqual([]);
  });
});
