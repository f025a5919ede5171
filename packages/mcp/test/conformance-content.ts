import type { McpExtend, McpExtendContext } from "@troupe/mcp";

type Extended = { server: Parameters<McpExtend>[0] } & McpExtendContext;

/** The picture, sound and texts that the official conformance runner asks for. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
export const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

export const text = (value: string) => ({ type: "text" as const, text: value });
export const image = { type: "image" as const, data: png, mimeType: "image/png" };
export const answer = (value: string) => ({ content: [text(value)] });

/** Returns the schema of an object whose fields are required strings. */
export function stringsOf(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  return { type: "object" as const, properties, required: names };
}

/** Returns the ways to ask a client for input. */
export function requestsOf({ inputRequired }: McpExtendContext["library"]) {
  const ask = (message: string, name: string, type: "string" | "boolean" = "string") => {
    const properties = { [name]: { type } as { type: "boolean" } };
    return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [name] } });
  };
  const sample = (value: string, maxTokens: number) =>
    inputRequired.createMessage({ messages: [{ role: "user", content: text(value) }], maxTokens });
  return { ask, sample, roots: () => inputRequired.listRoots() };
}

/** Registers the resources that the runner reads. */
export function addResources({ server, library }: Extended): void {
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

/** Registers the prompts that the runner asks for. */
export function addPrompts({ server, library }: Extended): void {
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
