import type { ScriptedAnswer } from "../scripted-answer.ts";

/** The vendor's answer in a scenario, without timing and failures. */
type ScenarioAnswer = Omit<
  Exclude<ScriptedAnswer, string>,
  "error" | "delayMs" | "chunkDelayMs" | "hang" | "responseId"
>;

/**
 * Behavior of the vendor for one request in `modelProviderCases`: an answer, an error, or a fault of the connection.
 */
export type ModelScenario = {
  /**
   * Text of the user's message. If the answer is only text, it equals this text, so that a model that only repeats can
   * be tested too.
   */
  question: string;
  /** The vendor's answer in the scenario. */
  answer?: ScenarioAnswer;
  /** Error instead of an answer, or within the stream after the answer. */
  failure?: { status: number; retryAfterSeconds?: number; message?: string };
  /**
   * Fault of the connection: `end` ends the response before the answer is complete, `cut` closes the connection,
   * `reset` resets it, and `hang` keeps it open without sending more data.
   */
  fault?: { kind: "end" | "cut" | "reset" | "hang"; at: "before-headers" | "mid-answer" };
  /** Size in bytes of the pieces in which the answer is sent. */
  pieceBytes?: number;
  /** Idle timeout to configure in the provider, if it has one, in milliseconds. */
  idleTimeoutMs?: number;
};

/**
 * API key that `modelProviderCases` passes with each call. Error messages of the vendor may repeat it, and the provider
 * must mask it.
 */
export const callersKey = "sk-canary-of-the-caller-8d2f7c41";

/** API key with which a subject of `modelProviderCases` configures its provider. */
export const configuredApiKey = "sk-canary-of-the-server-51b3e9aa";

/** A long text of the vendor's answer, of which a provider delivers a part before a fault in its middle. */
const longText = Array.from({ length: 400 }, (_, index) => `word${index} `).join("");
const weather = (city: string) => ({ name: "get_weather", arguments: { city, days: 2, deep: { list: [1, "ü😀"] } } });
const quoted = `Incorrect API key provided: ${callersKey}.`;

/** Returns the question and the answer of a scenario whose answer is only text. */
function saying(text: string | readonly string[]): { question: string; answer: { text: string | readonly string[] } } {
  return { question: [text].flat().join(""), answer: { text } };
}

const question = "Do I need an umbrella in Oslo?";
const pieces = ["Ta", "ke", " ", "an", "\n\n", "umb", "rella", " 😀", " é \u2028."];

/**
 * Scenarios of `modelProviderCases` by name, as plain data: the user's question and the vendor's answer. The test of a
 * provider serves each in its vendor's format.
 */
export const modelScenarios = {
  "plain text": saying("Take an umbrella."),
  "text in many pieces": saying(pieces),
  "one-byte pieces": { ...saying("Größe 😀 \u2028 נ"), pieceBytes: 1 },
  thinking: {
    question,
    answer: { thinking: ["It will ", "rain."], text: "Take an umbrella.", vendorState: { signed: true } },
  },
  "one tool call": { question, answer: { text: "Let me look.", toolCalls: [weather("Oslo")] } },
  "two parallel tool calls": { question, answer: { toolCalls: [weather("Oslo"), weather("Bergen")] } },
  "tool call in one-byte pieces": { question, answer: { toolCalls: [weather("Tromsø 😀")] }, pieceBytes: 1 },
  "empty arguments": { question, answer: { toolCalls: [{ name: "get_time", arguments: {} }] } },
  "arguments cut": {
    question,
    answer: { toolCalls: [{ name: "get_weather", arguments: '{"city":"Os' }], finishReason: "length" },
  },
  usage: {
    question,
    answer: {
      thinking: "Hm.",
      text: "Yes.",
      usage: { promptTokens: 100, completionTokens: 50, totalTokens: 150, cachedTokens: 80, reasoningTokens: 30 },
    },
  },
  length: { question, answer: { text: "Take an", finishReason: "length" } },
  "content filter": { question, answer: { text: "I", finishReason: "content_filter" } },
  "caller's key refused": { question, failure: { status: 401, message: quoted } },
  "server's key refused": {
    question,
    failure: { status: 401, message: `Incorrect API key provided: ${configuredApiKey}.` },
  },
  "rate limited": { question, failure: { status: 429, retryAfterSeconds: 2, message: quoted } },
  "server error": { question, failure: { status: 500, message: quoted } },
  overloaded: { question, failure: { status: 503, message: quoted } },
  "request refused": { question, failure: { status: 400, message: quoted } },
  "error within the stream": { question, answer: { text: longText }, failure: { status: 500, message: quoted } },
  "truncated stream": { question, answer: { text: longText }, fault: { kind: "end", at: "mid-answer" } },
  "connection closed within the answer": {
    question,
    answer: { text: longText },
    fault: { kind: "cut", at: "mid-answer" },
  },
  "connection reset before the answer": {
    question,
    answer: { text: "Hi" },
    fault: { kind: "reset", at: "before-headers" },
  },
  "connection reset within the answer": {
    question,
    answer: { text: longText },
    fault: { kind: "reset", at: "mid-answer" },
  },
  "stalled stream": {
    question,
    answer: { text: longText },
    fault: { kind: "hang", at: "mid-answer" },
    idleTimeoutMs: 100,
  },
  "silence before the answer": { question, answer: { text: "Hi" }, fault: { kind: "hang", at: "before-headers" } },
  "silence within the answer": { question, answer: { text: longText }, fault: { kind: "hang", at: "mid-answer" } },
} satisfies Record<string, ModelScenario>;

/** Name of a scenario in `modelScenarios`. */
export type ModelScenarioName = keyof typeof modelScenarios;

const names = Object.keys(modelScenarios) as ModelScenarioName[];

/** Names of the `modelScenarios` that end with an answer. */
export const answeredScenarios = names.filter(
  (name) => !("failure" in modelScenarios[name] || "fault" in modelScenarios[name]),
);

/** Names of the `modelScenarios` that end with an error, without a signal of the caller. */
export const failedScenarios = names.filter((name) => !answeredScenarios.includes(name) && !name.startsWith("silence"));
