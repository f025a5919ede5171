/**
 * The tools, prompts and resources that the server scenarios of the official conformance runner ask for, registered by the
 * option `extend`, with nothing but what our package gives. The names, texts and schemas are those that the runner documents.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { McpExtend, McpExtendContext, McpNotify } from "@troupe/mcp";
import { addPrompts, addResources, answer, image, requestsOf, stringsOf, text, wav } from "./conformance-content.ts";

type Server = Parameters<McpExtend>[0];
type Extended = { server: Server } & McpExtendContext;

/** Registers what the runner asks for. `notify` is that of the server, for the tools that change its lists. */
export function extendForConformance(notify: () => McpNotify): McpExtend {
  return (server, context) => {
    const extended = { server, ...context };
    addContentTools(extended);
    addTalkingTools(extended);
    addElicitations(extended);
    addSimpleRounds(extended);
    addSealedRounds(extended);
    addResources(extended);
    addPrompts(extended);
    addChanges(server, notify);
  };
}

function addContentTools({ server, library }: Extended): void {
  const tool = (name: string, content: unknown[]) =>
    server.registerTool(name, { description: `Returns the content of ${name}.` }, () => ({
      content: content as never,
    }));
  const resource = (uri: string, mimeType: string, value: string) => ({
    type: "resource",
    resource: { uri, mimeType, text: value },
  });
  tool("test_simple_text", [text("This is a simple text response for testing.")]);
  tool("test_image_content", [image]);
  tool("test_audio_content", [{ type: "audio", data: wav, mimeType: "audio/wav" }]);
  tool("test_embedded_resource", [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]);
  tool("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ]);
  server.registerTool("test_error_handling", { description: "Fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema: library.fromJsonSchema(schema2020) },
    () => answer("ok"),
  );
  const region = { ...stringsOf("region"), properties: { region: { type: "string", "x-mcp-header": "Region" } } };
  server.registerTool(
    "test_custom_header",
    { description: "Has an argument that is sent as a header too.", inputSchema: library.fromJsonSchema(region) },
    () => answer("ok"),
  );
}

const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  ...(JSON.parse('{ "then": { "required": ["phone"] } }') as object),
  else: { required: ["email"] },
  additionalProperties: false,
};

/** Tools that send logs and progress, or ask the client, while they work. */
function addTalkingTools({ server, library }: Extended): void {
  server.registerTool("test_tool_with_logging", { description: "Logs." }, async ({ mcpReq }) => {
    for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", line);
      await sleep(50);
    }
    return answer("Logged.");
  });
  server.registerTool("test_logging_tool", { description: "Logs." }, async ({ mcpReq }) => {
    await mcpReq.log("info", "A line for clients that want logs.");
    return answer("Logged.");
  });
  server.registerTool("test_tool_with_progress", { description: "Tells of progress." }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
      await sleep(50);
    }
    return answer("Done.");
  });
  const prompt = library.fromJsonSchema<{ prompt: string }>(stringsOf("prompt"));
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema: prompt },
    async (args, ctx) => {
      const messages = [{ role: "user" as const, content: text(args.prompt) }];
      const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 });
      return answer(`LLM response: ${JSON.stringify(content)}`);
    },
  );
  const message = library.fromJsonSchema<{ message: string }>(stringsOf("message"));
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user.", inputSchema: message },
    async (args, { mcpReq }) => {
      const requestedSchema = stringsOf("username", "email");
      const { action, content } = await mcpReq.elicitInput({ message: args.message, requestedSchema });
      return answer(`User response: action=${action}, content=${JSON.stringify(content)}`);
    },
  );
}

const options = ["option1", "option2", "option3"];
const titled = ["First", "Second", "Third"].map((title, index) => ({
  const: `value${index + 1}`,
  title: `${title} Option`,
}));

const elicited = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: options },
    titledSingle: { type: "string", oneOf: titled },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: { type: "array", items: { anyOf: titled } },
  },
};

function addElicitations({ server }: Extended): void {
  for (const [name, properties] of Object.entries(elicited)) {
    server.registerTool(name, { description: "Asks the user for several values." }, async ({ mcpReq }) => {
      const requestedSchema = { type: "object" as const, properties, required: [] } as never;
      const { action, content } = await mcpReq.elicitInput({ message: "Which values?", requestedSchema });
      return answer(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
    });
  }
}

/** Tools that ask within their result, as the stateless revision does. */
function addSimpleRounds({ server, library }: Extended): void {
  const { inputRequired, inputResponse, acceptedContent } = library;
  const { ask, sample, roots } = requestsOf(library);
  type Round = [
    key: string,
    request: ReturnType<typeof ask>,
    say: (given: Record<string, unknown>) => string | undefined,
  ];
  const tool = (name: string, ...[key, request, say]: Round) =>
    server.registerTool(name, { description: "Asks the client." }, ({ mcpReq: { inputResponses = {} } }) => {
      const said = key in inputResponses ? say(inputResponses) : undefined;
      return said === undefined ? inputRequired({ inputRequests: { [key]: request } }) : answer(said);
    });
  tool("test_input_required_result_elicitation", "user_name", ask("What is your name?", "name"), (responses) => {
    const name = acceptedContent(responses, "user_name")?.["name"];
    return typeof name === "string" ? `Hello, ${name}!` : undefined;
  });
  const capital = sample("What is the capital of France?", 100);
  tool("test_input_required_result_sampling", "capital_question", capital, (responses) =>
    JSON.stringify(inputResponse(responses, "capital_question")),
  );
  tool("test_input_required_result_list_roots", "client_roots", roots(), (responses) =>
    JSON.stringify(responses["client_roots"]),
  );
  tool("test_missing_capability", "sample", sample("Hello", 10), () => "Sampled.");
  tool("test_streaming_elicitation", "name", ask("What is your name?", "name"), () => "Asked.");
  server.registerTool("test_input_required_result_capabilities", { description: "Asks the client." }, () => {
    const { elicitation, sampling } = server.server.getClientCapabilities() ?? {};
    return inputRequired({
      inputRequests: {
        ...(elicitation && { name: ask("What is your name?", "name") }),
        ...(sampling && { greeting: sample("Generate a greeting", 50) }),
      },
    });
  });
}

/** Tools that send state along with their questions. */
function addSealedRounds({ server, library, sealState }: Extended): void {
  const { inputRequired } = library;
  const { ask, sample, roots } = requestsOf(library);
  const confirm = ask("Please confirm", "ok", "boolean");
  for (const name of ["test_input_required_result_request_state", "test_input_required_result_tampered_state"]) {
    server.registerTool(name, { description: "Asks the client, with state." }, async (ctx) => {
      if (ctx.mcpReq.requestState() === name) return answer("state-ok");
      return inputRequired({ inputRequests: { confirm }, requestState: await sealState(name, ctx) });
    });
  }
  const three = {
    user_name: ask("What is your name?", "name"),
    greeting: sample("Generate a greeting", 50),
    client_roots: roots(),
  };
  server.registerTool("test_input_required_result_multiple_inputs", { description: "Asks thrice." }, async (ctx) => {
    const { inputResponses = {} } = ctx.mcpReq;
    if (Object.keys(three).every((key) => key in inputResponses)) return answer(JSON.stringify(inputResponses));
    return inputRequired({ inputRequests: three, requestState: await sealState("three", ctx) });
  });
  server.registerTool("test_input_required_result_multi_round", { description: "Asks twice." }, async (ctx) => {
    const round = ctx.mcpReq.requestState<number>() ?? 0;
    if (round === 2) return answer("Both steps are done.");
    const step =
      round === 0 ? ask("Step 1: What is your name?", "name") : ask("Step 2: What is your favorite color?", "color");
    return inputRequired({
      inputRequests: { [`step${round + 1}`]: step },
      requestState: await sealState(round + 1, ctx),
    });
  });
}

function addChanges(server: Server, notify: () => McpNotify): void {
  server.registerTool("test_trigger_tool_change", { description: "Tells that tools have changed." }, () => {
    notify().toolsChanged();
    return answer("Told.");
  });
  server.registerTool("test_trigger_prompt_change", { description: "Tells that prompts have changed." }, () => {
    notify().promptsChanged();
    return answer("Told.");
  });
}
