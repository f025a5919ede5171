import type { ScriptedTurn } from "../scripted-turn.ts";

/** What a vendor says in a scenario: a turn without time or failures of its own. */
type ScenarioTurn = Omit<Exclude<ScriptedTurn, string>, "error" | "delayMs" | "chunkDelayMs" | "hang" | "responseId">;

/** What the vendor does with one request, and how its answer is sent. */
export type ModelScenario = {
  /** What the vendor says. */
  turn?: ScenarioTurn;
  /** An error in place of an answer, or within the stream once the turn has been said. */
  failure?: { status: number; retryAfterSeconds?: number; message?: string };
  /**
   * What goes wrong on the way: `end` ends the answer properly before it is complete, `cut` closes the connection, `reset`
   * resets it, and `hang` goes silent and keeps it open.
   */
  fault?: { kind: "end" | "cut" | "reset" | "hang"; at: "before-headers" | "mid-answer" };
  /** The answer is sent in pieces of so many bytes. */
  pieceBytes?: number;
  /** What the provider is told to wait for between two pieces, where it can be told. */
  idleTimeoutMs?: number;
};

/** The key that calls of the suite carry; what a vendor says may repeat it. */
export const callersKey = "sk-canary-of-the-caller-8d2f7c41";

/** The key that a subject's provider is made with. */
export const serversKey = "sk-canary-of-the-server-51b3e9aa";

/** An answer long enough that half of it is more than any socket's first read. */
const longText = Array.from({ length: 400 }, (_, index) => `word${index} `).join("");
const weather = (city: string) => ({ name: "get_weather", arguments: { city, days: 2, deep: { list: [1, "ü😀"] } } });
const quoted = `Incorrect API key provided: ${callersKey}.`;

/** What vendors do. A provider's test serves each of these in its vendor's words. */
export const modelScenarios = {
  "plain text": { turn: { text: "Take an umbrella." } },
  "text in many pieces": { turn: { text: ["Ta", "ke", " ", "an", "\n\n", "umb", "rella", " 😀", " é \u2028."] } },
  "one-byte pieces": { turn: { text: "Größe 😀 \u2028 נ" }, pieceBytes: 1 },
  thinking: { turn: { thinking: ["It will ", "rain."], text: "Take an umbrella.", vendorState: { signed: true } } },
  "one tool call": { turn: { text: "Let me look.", toolCalls: [weather("Oslo")] } },
  "two parallel tool calls": { turn: { toolCalls: [weather("Oslo"), weather("Bergen")] } },
  "tool call in one-byte pieces": { turn: { toolCalls: [weather("Tromsø 😀")] }, pieceBytes: 1 },
  "empty arguments": { turn: { toolCalls: [{ name: "get_time", arguments: {} }] } },
  "arguments cut": { turn: { toolCalls: [{ name: "get_weather", arguments: '{"city":"Os' }], finishReason: "length" } },
  usage: {
    turn: {
      thinking: "Hm.",
      text: "Yes.",
      usage: { promptTokens: 100, completionTokens: 50, totalTokens: 150, cachedTokens: 80, reasoningTokens: 30 },
    },
  },
  length: { turn: { text: "Take an", finishReason: "length" } },
  "content filter": { turn: { text: "I", finishReason: "content_filter" } },
  "caller's key refused": { failure: { status: 401, message: quoted } },
  "server's key refused": { failure: { status: 401, message: `Incorrect API key provided: ${serversKey}.` } },
  "rate limited": { failure: { status: 429, retryAfterSeconds: 2, message: quoted } },
  "server error": { failure: { status: 500, message: quoted } },
  overloaded: { failure: { status: 503, message: quoted } },
  "request refused": { failure: { status: 400, message: quoted } },
  "error within the stream": { turn: { text: longText }, failure: { status: 500, message: quoted } },
  "truncated stream": { turn: { text: longText }, fault: { kind: "end", at: "mid-answer" } },
  "connection closed within the answer": { turn: { text: longText }, fault: { kind: "cut", at: "mid-answer" } },
  "connection reset before the answer": { turn: { text: "Hi" }, fault: { kind: "reset", at: "before-headers" } },
  "connection reset within the answer": { turn: { text: longText }, fault: { kind: "reset", at: "mid-answer" } },
  "stalled stream": { turn: { text: longText }, fault: { kind: "hang", at: "mid-answer" }, idleTimeoutMs: 100 },
  "silence before the answer": { turn: { text: "Hi" }, fault: { kind: "hang", at: "before-headers" } },
  "silence within the answer": { turn: { text: longText }, fault: { kind: "hang", at: "mid-answer" } },
} satisfies Record<string, ModelScenario>;

/** The name of a scenario. */
export type ModelScenarioName = keyof typeof modelScenarios;

const names = Object.keys(modelScenarios) as ModelScenarioName[];

/** The scenarios that end with an answer. */
export const answered = names.filter((name) => !("failure" in modelScenarios[name] || "fault" in modelScenarios[name]));

/** The scenarios that end with an error, whoever asks. */
export const failed = names.filter((name) => !answered.includes(name) && !name.startsWith("silence"));
