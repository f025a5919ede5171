// Talks to the agent `model` at `baseURL` with each client, and to agents at `ownURL` about tools of the service, tools of the
// client, and failures. Prints a line for each client: its name, and what went wrong.
import { createOpenResponses } from "@ai-sdk/open-responses";
import { HumanMessage } from "@langchain/core/messages";
import { tool as langChainTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { Providers, Run } from "@librechat/agents";
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from "@openai/agents";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const [baseURL, model, ownURL] = process.argv.slice(2);
const apiKey = "none";
setTracingDisabled(true);

const getTime = tool({
  name: "time_of_the_client",
  description: "Tells the time.",
  parameters: z.object({}),
  execute: () => "12:00",
});

const runAgent = async (useResponses, { tools = [], to = { baseURL, model } } = {}) => {
  const modelProvider = new OpenAIProvider({ apiKey, baseURL: to.baseURL, useResponses });
  const agent = new Agent({ name: "caller", instructions: "Be kind.", model: to.model, tools });
  return (await new Runner({ modelProvider }).run(agent, "Hello")).finalOutput;
};

/** All that LibreChat may send for a custom endpoint, by the names of its settings. */
const libreChatSettings = {
  temperature: 1,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  maxTokens: 500,
  stop: ["###"],
  user: "u1",
  streamUsage: true,
  modelKwargs: { seed: 7, reasoning_effort: "low", service_tier: "auto", metadata: { chat: "é" } },
};

/** The names under which these settings are sent. */
const sentNames = [
  ...["temperature", "top_p", "presence_penalty", "frequency_penalty", "stop", "user"],
  ...["seed", "reasoning_effort", "service_tier", "metadata"],
];

/** Runs LibreChat's agent with all of its settings, and returns its text. Throws if a setting was not sent. */
const runLibreChat = async ({ tools = [], streaming = true, to = { baseURL, model }, responses = false }) => {
  const bodies = [];
  const sendAndKeep = (url, init) => {
    bodies.push(JSON.parse(init.body));
    return fetch(url, init);
  };
  const configuration = { baseURL: to.baseURL, fetch: sendAndKeep };
  const { modelKwargs, ...others } = libreChatSettings;
  const settings = responses ? { ...others, useResponsesApi: true } : libreChatSettings;
  const llmConfig = { provider: Providers.OPENAI, model: to.model, apiKey, configuration, streaming, ...settings };
  const graphConfig = { type: "standard", instructions: "Be kind.", llmConfig, tools };
  const run = await Run.create({ runId: crypto.randomUUID(), graphConfig, returnContent: true });
  const options = { configurable: { thread_id: "t" }, runId: crypto.randomUUID(), streamMode: "values", version: "v2" };
  const parts = await run.processStream({ messages: [new HumanMessage("Hello")] }, options);
  const missing = responses ? [] : sentNames.filter((name) => !bodies.every((body) => name in body));
  if (missing.length > 0) throw new Error(`not sent: ${missing.join(", ")}`);
  if (bodies.length !== tools.length + 1) throw new Error(`${bodies.length} requests were sent`);
  return parts.map((part) => part.text ?? "").join("");
};

/** Makes a function that returns a text if it has the answer of an agent. */
const expecting = (answer) => (text) => {
  if (!text.includes(answer)) throw new Error(`another text: ${text}`);
  return text;
};
const ofWeather = expecting("It snows in Tromsø.");
const ofClock = expecting("12:00");

const openai = new OpenAI({ apiKey, baseURL: ownURL, maxRetries: 0 });
const messages = [{ role: "user", content: "Hello" }];
const clock = { baseURL: ownURL, model: "clock" };
const weather = { baseURL: ownURL, model: "weather" };
const chat = new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
const calls = {
  "openai: response": async () =>
    (await new OpenAI({ apiKey, baseURL }).responses.create({ model, input: "Hello" })).output_text,
  "openai: create": async () =>
    ofWeather((await openai.chat.completions.create({ model: "weather", messages })).choices[0].message.content),
  "openai: stream": async () =>
    ofWeather(await openai.chat.completions.stream({ model: "weather", messages }).finalContent()),
  "openai: runTools": async () => {
    const parameters = { type: "object", properties: {} };
    const named = { name: "get_time", description: "Tells the time.", parameters, parse: JSON.parse, function: () => "12:00" };
    const tools = [{ type: "function", function: named }];
    return ofClock(await openai.chat.completions.runTools({ model: "clock", messages, tools }).finalContent());
  },
  "openai: parse": async () => {
    const response_format = zodResponseFormat(z.object({ city: z.string() }), "place");
    const { choices } = await openai.chat.completions.parse({ model: "form", messages, response_format });
    return expecting("Tromsø")(choices[0].message.parsed.city);
  },
  "openai: responses.stream": async () => {
    const { output, output_text } = await openai.responses.stream({ model: "weather", input: "Hello" }).finalResponse();
    if (!output.some(({ type, name }) => type === "mcp_call" && name === "weather")) throw new Error("no call is shown");
    return ofWeather(output_text);
  },
  "openai: retrieve with starting_after": async () => {
    const { id } = await openai.responses.create({ model: "weather", input: "Hello", background: true });
    const read = async (more) => {
      const events = [];
      for await (const event of await openai.responses.retrieve(id, { stream: true, ...more })) events.push(event);
      return events;
    };
    const all = await read({});
    const rest = await read({ starting_after: 3 });
    if (JSON.stringify(rest) !== JSON.stringify(all.slice(4))) throw new Error(`another rest: ${JSON.stringify(rest)}`);
    return ofWeather(rest.at(-1).response.output.at(-1).content[0].text);
  },
  "openai: cancel": async () => {
    const { id } = await openai.responses.create({ model: "endless", input: "Hello", background: true });
    return expecting("cancelled")((await openai.responses.cancel(id)).status);
  },
  "@openai/agents: responses": async () => await runAgent(true),
  "@openai/agents: chat": async () => await runAgent(false),
  "@openai/agents: a tool of its own": async () => ofClock(await runAgent(true, { tools: [getTime], to: clock })),
  "@openai/agents: a tool of its own, chat": async () => ofClock(await runAgent(false, { tools: [getTime], to: clock })),
  "@langchain/openai: invoke": async () => (await chat.invoke("Hello")).text,
  "@langchain/openai: stream": async () => {
    let text = "";
    for await (const chunk of await chat.stream("Hello")) text += chunk.text;
    return text;
  },
  "@librechat/agents": async () => await runLibreChat({}),
  "@librechat/agents: whole": async () => await runLibreChat({ streaming: false }),
  "@librechat/agents: a tool of the service": async () => ofWeather(await runLibreChat({ to: weather })),
  "@librechat/agents: a tool of the service, whole": async () =>
    ofWeather(await runLibreChat({ to: weather, streaming: false })),
  "@librechat/agents: a tool of the service, Responses": async () =>
    ofWeather(await runLibreChat({ to: weather, responses: true })),
  "@librechat/agents: a tool of its own": async () => {
    const schema = z.object({});
    const about = { name: "time_of_the_client", description: "Tells the time.", schema };
    return ofClock(await runLibreChat({ tools: [langChainTool(() => "12:00", about)], to: clock }));
  },
  "@ai-sdk/open-responses": async () => {
    const provider = createOpenResponses({ name: "troupe", url: `${baseURL}/responses`, apiKey });
    return (await generateText({ model: provider(model), prompt: "Hello" })).text;
  },
  "@ai-sdk/open-responses: a tool of the service": async () => {
    const provider = createOpenResponses({ name: "troupe", url: `${ownURL}/responses`, apiKey });
    return ofWeather((await generateText({ model: provider("weather"), prompt: "Hello" })).text);
  },
  "@ai-sdk/open-responses: a stream that fails": async () => {
    const provider = createOpenResponses({ name: "troupe", url: `${ownURL}/responses`, apiKey });
    const { fullStream } = streamText({ model: provider("failing"), prompt: "Hello", onError: () => undefined });
    const errors = [];
    for await (const part of fullStream) if (part.type === "error") errors.push(String(part.error?.message ?? part.error));
    if (!errors.some((message) => message.includes("The model failed."))) throw new Error(`errors: ${errors}`);
    return "failed as the service said";
  },
};

for (const [name, call] of Object.entries(calls)) {
  try {
    const text = await call();
    console.log(JSON.stringify({ name, fault: typeof text === "string" && text !== "" ? undefined : "no text" }));
  } catch (error) {
    console.log(JSON.stringify({ name, fault: String(error?.message ?? error).slice(0, 300) }));
  }
}
