/**
 * The tools, prompts and resources that the server scenarios of the official conformance runner ask for, registered by the
 * option `extend`, with nothing but what our package gives. The names, texts and schemas are those that the runner documents.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { McpExtend, McpExtendContext, McpNotify } from "@troupe/mcp";

type Server = Parameters<McpExtend>[0];
type Library = McpExtendContext["library"];
type Extended = { server: Server } & McpExtendContext;

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const answer = (value: string) => ({ content: [text(value)] });

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

function stringsOf(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  return { type: "object" as const, properties, required: names };
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

function requestsOf({ inputRequired }: Library) {
  const ask = (message: string, name: string, type: "string" | "boolean" = "string") => {
    const properties = { [name]: { type } as { type: "boolean" } };
    return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [name] } });
  };
  const sample = (value: string, maxTokens: number) =>
    inputRequired.createMessage({ messages: [{ role: "user", content: text(value) }], maxTokens });
  return { ask, sample, roots: () => inputRequired.listRoots() };
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

function addResources({ server, library }: Extended): void {
  const add = (uri: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(uri, uri, { description: `Returns ${uri}.`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  add("test://static-text", "text/plain", { text: "This is the content of the static text resource." });
  add("test://static-binary", "image/png", { blob: png });
  add("test://watched-resource", "text/plain", { text: "Watched." });
  const template = new library.ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { description: "Returns data by id." }, ({ href: uri }, { id }) => {
    const value = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
    return { contents: [{ uri, mimeType: "application/json", text: value }] };
  });
}

function addPrompts({ server, library }: Extended): void {
  const messages = (...contents: unknown[]) => ({
    messages: contents.map((content) => ({ role: "user" as const, content: content as ReturnType<typeof text> })),
  });
  server.registerPrompt("test_simple_prompt", { description: "Is simple." }, () =>
    messages(text("This is a simple prompt for testing.")),
  );
  const two = library.fromJsonSchema<{ arg1: string; arg2: string }>(stringsOf("arg1", "arg2"));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Has arguments.", argsSchema: two },
    ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  const argsSchema = library.fromJsonSchema<{ resourceUri: string }>(stringsOf("resourceUri"));
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Embeds a resource.", argsSchema },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return messages({ type: "resource", resource }, text("Please process the embedded resource above."));
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows an image." }, () =>
    messages(image, text("Please analyze the image above.")),
  );
  const context = requestsOf(library).ask("What context should the prompt use?", "context");
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks the user." }, ({ mcpReq }) => {
    const given = library.acceptedContent(mcpReq.inputResponses, "user_context");
    if (given === undefined) return library.inputRequired({ inputRequests: { user_context: context } });
    return messages(text(`Context: ${String(given["context"])}`));
  });
  server.server.registerCapabilities({ completions: {} });
  server.server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: { values: ["paris", "park", "test"].filter((value) => value.startsWith(params.argument.value)) },
  }));
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
