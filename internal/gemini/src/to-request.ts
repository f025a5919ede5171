import type { Content, FunctionDeclaration, GenerationConfig } from "@google/genai/web";
import { getTextContent } from "@troupe/core";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { withVendorFields } from "@troupe/core/provider";
import type { ToolSpec } from "@troupe/core";
import type { RequestContext } from "./request-context.ts";
import { toContents } from "./to-contents.ts";
import { toSchema } from "./to-schema.ts";
import { toThinking } from "./to-thinking.ts";
import type { Thinking } from "./to-thinking.ts";

/**
 * The JSON body of a request to Gemini. Its enumerations are plain strings, because only the types of `@google/genai`
 * are used.
 */
export type RequestBody = Tools & {
  contents: Content[];
  systemInstruction?: Content;
  generationConfig: Omit<GenerationConfig, "thinkingConfig"> & { thinkingConfig?: Thinking };
};

/** Largest number of stop sequences in a request to Gemini, which refuses more. */
const mostStops = 5;

/**
 * Converts a model call to the body of a request to Gemini. Settings that the model does not accept are omitted and
 * logged. Throws `unsupported_media_type` for a message part that the model does not accept.
 */
export function toRequest(
  messages: readonly ChatMessage[],
  options: ModelOptions,
  context: RequestContext,
): RequestBody {
  const { settings, instruction } = toFormat(options, context);
  const { temperature, topP, maxTokens, vendor } = options;
  const system = toSystem(messages, instruction);
  const stop = toStop(options.stop, context);
  const isCached = namesCachedContent(options, context);
  if (isCached) reportCached(messages, context);
  const body: RequestBody = {
    contents: toContents(messages, context),
    ...(system !== "" && !isCached && { systemInstruction: { parts: [{ text: system }] } }),
    generationConfig: {
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop.length > 0 && { stopSequences: stop }),
      ...toSeed(options.seed, context),
      ...settings,
      ...toThinking(options.reasoning, context),
    },
    ...(!isCached && toTools(options, context)),
  };
  return withVendorFields(body, vendor, context.model.providerId);
}

/**
 * Returns true if the caller names content that the vendor has cached. Cached content already contains instructions and
 * tools, and a request that uses it must not contain others.
 */
function namesCachedContent({ vendor = {} }: ModelOptions, { model }: RequestContext): boolean {
  const name = getOwn(getOwn(vendor, model.providerId) ?? {}, "cachedContent");
  return typeof name === "string" && name !== "";
}

/**
 * Logs that the caller's cached content replaces the instructions and the tools. If the run adds memory and facts to
 * the instructions, logs that these are omitted.
 */
function reportCached(messages: readonly ChatMessage[], { reportOmitted, reportReplaced }: RequestContext): void {
  const reason = "the cached content has its own, and the vendor takes no others";
  reportReplaced("the instructions and the tools", reason);
  if (messages.filter(({ role }) => role === "system").length > 1) reportOmitted("memory and facts", reason);
}

const largestSeed = 2 ** 31 - 1;

function toSeed(seed: number | undefined, { reportOmitted }: RequestContext): Pick<GenerationConfig, "seed"> {
  if (seed === undefined) return {};
  if (Math.abs(seed) <= largestSeed) return { seed };
  reportOmitted("seed", `the vendor takes none above ${largestSeed}`);
  return {};
}

function toSystem(messages: readonly ChatMessage[], instruction = ""): string {
  const texts = messages.flatMap(({ role, content }) => (role === "system" ? [getTextContent(content)] : []));
  return [...texts, instruction].filter((text) => text !== "").join("\n\n");
}

function toStop(stop: readonly string[] = [], { reportOmitted }: RequestContext): string[] {
  const allowed = stop.filter((each) => each !== "").slice(0, mostStops);
  if (allowed.length < stop.length)
    reportOmitted("a stop sequence", `the vendor takes ${mostStops} at most, and no empty one`);
  return allowed;
}

/** The requested format of the answer, as settings of the request or as an instruction to the model. */
type Format = {
  settings: Pick<GenerationConfig, "responseMimeType" | "responseJsonSchema">;
  instruction?: string;
};

const jsonOnly = "Answer with one JSON value and nothing else: no words around it, no code fence.";

function toFormat(
  { responseFormat = "text", tools = [] }: Pick<ModelOptions, "responseFormat" | "tools">,
  { rules, reportReplaced }: RequestContext,
): Format {
  if (responseFormat === "text") return { settings: {} };
  const schema = responseFormat === "json" ? undefined : responseFormat.schema;
  if (tools.length > 0 && !rules.formatWithTools) {
    reportReplaced(
      "responseFormat",
      "the model does not take it together with tools; the instructions ask for it instead",
    );
    const words = schema === undefined ? "" : ` It must fit this JSON schema:\n${JSON.stringify(schema)}`;
    return { settings: {}, instruction: `When no tool is to be called: ${jsonOnly}${words}` };
  }
  const held = schema === undefined ? {} : { responseJsonSchema: toSchema(schema) };
  return { settings: { responseMimeType: "application/json", ...held } };
}

/** The tools of a request to Gemini, and the setting that forces or forbids calls. */
type Tools = {
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } };
};

function toTools(
  { tools = [], toolChoice, parallelToolCalls }: Pick<ModelOptions, "tools" | "toolChoice" | "parallelToolCalls">,
  { reportOmitted }: RequestContext,
): Tools {
  if (tools.length === 0) return {};
  if (parallelToolCalls === false) reportOmitted("parallelToolCalls", "the vendor has no such setting");
  const calling = toCallingConfig(toolChoice);
  return {
    tools: [{ functionDeclarations: tools.map(toDeclaration) }],
    ...(calling !== undefined && { toolConfig: { functionCallingConfig: calling } }),
  };
}

function toCallingConfig(
  choice: ModelOptions["toolChoice"],
): NonNullable<Tools["toolConfig"]>["functionCallingConfig"] | undefined {
  if (choice === undefined || choice === "auto") return undefined;
  if (choice === "none") return { mode: "NONE" };
  return choice === "required" ? { mode: "ANY" } : { mode: "ANY", allowedFunctionNames: [choice.tool] };
}

function toDeclaration({ name, description, parameters }: ToolSpec): FunctionDeclaration {
  const schema = toSchema(parameters);
  // Gemini refuses a tool whose parameter schema has no properties.
  const hasParameters = Object.keys(schema).some((keyword) => keyword !== "type");
  return { name, ...(description !== "" && { description }), ...(hasParameters && { parametersJsonSchema: schema }) };
}
