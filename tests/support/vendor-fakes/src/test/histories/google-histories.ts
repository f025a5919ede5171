import { isObject, objectOf, objectsIn } from "../../json-body.ts";
import { drop, insert, repeat, set, swap } from "../edit-json.ts";
import type { BrokenCase, HistoryTable, SoundCase } from "./history-table.ts";

const next: HistoryTable["next"] = (request, answer) => {
  const content = objectOf(objectsIn(answer["candidates"])[0]?.["content"]);
  const calls = objectsIn(content["parts"]).flatMap(({ functionCall }) =>
    isObject(functionCall) ? [functionCall] : [],
  );
  const results = calls.map(({ name, id }) => ({
    functionResponse: { name, ...(id !== undefined && { id }), response: { output: "rain" } },
  }));
  return { ...request, contents: [...objectsIn(request["contents"]), content, { role: "user", parts: results }] };
};

const first = {
  contents: [{ role: "user", parts: [{ text: "Umbrella?" }] }],
  systemInstruction: { parts: [{ text: "Be short." }] },
  tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: { type: "object" } }] }],
  generationConfig: { thinkingConfig: { includeThoughts: true } },
};

const asked = { role: "user", parts: [{ text: "And now?" }] };
const answer = { role: "model", parts: [{ text: "Take one." }] };
const lastCall = "contents.3.parts.1.functionCall";
const lastResult = "contents.4.parts.0.functionResponse";

const goingOn: SoundCase = [
  "the user speaks after an answer",
  [insert("contents.5", answer), insert("contents.6", asked)],
];

/**
 * The contents are: user, model (thought, text, two calls), user (two results), model (thought, call), user (result).
 */
const broken: BrokenCase[] = [
  ["a call has no result, as after a crash", drop("contents.2.parts.1"), /number of function response parts/],
  ["results have lost their calls, as after trimming", drop("contents.1"), /immediately after a function call turn/],
  ["there are more results than calls", repeat("contents.4.parts.0"), /number of function response parts/],
  ["the last calls have no results", drop("contents.4"), /end with a user role/],
  ["the user speaks between calls and results", insert("contents.2", asked), /number of function response parts/],
  ["results of one turn stand in two contents", apart(), /number of function response parts/],
  ["a call follows the model's own words", insert("contents.3", answer), /immediately after a user turn/],
  ["a result has another name", set(`${lastResult}.name`, "x"), /names and ids of the calls/],
  ["a result has no name", drop(`${lastResult}.name`), /function_response.name/],
  ["a result is text", set(`${lastResult}.response`, "rain"), /function_response.response/],
  ["a result is the model's", set("contents.4.role", "model"), /immediately after a function call turn/],
  ["a call has no name", set(`${lastCall}.name`, ""), /function_call.name/],
  ["arguments are a string", set(`${lastCall}.args`, "{}"), /function_call.args/],
  ["a call is the user's", set("contents.3.role", "user"), /immediately after a user turn/],
  ["the model speaks first, as after trimming", drop("contents.0"), /first content must be the user's/],
  ["the model has the last word", insert("contents.5", answer), /end with a user role/],
  ["a role of another vendor", set("contents.0.role", "assistant"), /valid role/],
  ["a content of nothing", set("contents.0.parts", []), /must not be empty/],
  ["empty text", set("contents.0.parts.0.text", ""), /must have a text parameter/],
  ["a part of nothing", set("contents.0.parts.0", { thought: true }), /must have one initialized field/],
  [
    "a part of two things",
    set("contents.0.parts.0.inlineData", { mimeType: "a/b" }),
    /must have one initialized field/,
  ],
  ["a part with a field of our own", set("contents.0.parts.0.type", "text"), /Unknown name "type"/],
  ["a file without a kind", insert("contents.0.parts.0", { inlineData: { data: "AAAA" } }), /Unsupported MIME type/],
  ["no contents", set("contents", []), /contents is not specified/],
  ["empty instructions", set("systemInstruction.parts.0.text", ""), /systemInstruction/],
  ["a field of another vendor", set("messages", []), /Unknown name "messages"/],
  ["a tool with an impossible name", declare({ name: "1st" }), /Invalid function name/],
  ["a tool with two schemas", set("tools.0.functionDeclarations.0.parameters", {}), /mutually exclusive/],
  ["a forced call without tools", [drop("tools"), choose({ mode: "ANY" })], /without function_declarations/],
  ["a choice that is not forced", choose({ mode: "AUTO", allowedFunctionNames: ["get_weather"] }), /mode is ANY/],
  ["a choice of an unknown tool", choose({ mode: "ANY", allowedFunctionNames: ["x"] }), /not declared/],
  ["two measures of thinking", think({ thinkingBudget: 1, thinkingLevel: "LOW" }), /only set one of/],
  [
    "a schema for an answer that is no JSON",
    set("generationConfig.responseJsonSchema", {}),
    /needs the response mime type/,
  ],
];

const signed: BrokenCase[] = [
  ["a call has lost its signature", drop("contents.3.parts.1.thoughtSignature"), /missing a `thought_signature`/],
  [
    "an earlier call of the turn has lost its signature",
    drop("contents.1.parts.2.thoughtSignature"),
    /missing a `thought/,
  ],
  ["a signature was altered", set("contents.3.parts.1.thoughtSignature", "abc"), /Corrupted thought signature/],
  [
    "a signature was moved to another call",
    swap("contents.1.parts.2", "contents.1.parts.3"),
    /names and ids|missing a `thought/,
  ],
  ["signed arguments were altered", set(`${lastCall}.args`, { city: "Bergen" }), /Corrupted thought signature/],
];

/** Gemini API, with ids and signatures. */
export const googleHistories: HistoryTable = {
  vendor: "google's gemini",
  path: "/v1beta/models/gemini-3.8-flash:generateContent",
  first,
  next,
  sound: [
    goingOn,
    [
      "calls of an earlier turn without signatures",
      [insert("contents.5", answer), insert("contents.6", asked), drop("contents.3.parts.1.thoughtSignature")],
    ],
    ["a call comes from a recorded answer", set("contents.3.parts.1.thoughtSignature", "EpEgCo4g-OPAQUE==")],
    ["calls of another vendor", set("contents.3.parts.1.thoughtSignature", "skip_thought_signature_validator")],
    ["JSON and tools", set("generationConfig.responseMimeType", "application/json")],
  ],
  broken: [
    ...broken,
    ...signed,
    ["results are in another order", swap("contents.2.parts.0", "contents.2.parts.1"), /names and ids of the calls/],
    ["a result has another id", set(`${lastResult}.id`, "x"), /names and ids of the calls/],
    ["a result has lost its id", drop(`${lastResult}.id`), /names and ids of the calls/],
    ["a file's name", set("contents.0.parts.0", { inlineData: { mimeType: "a/b", displayName: "x" } }), /displayName/],
    ["a file in a cloud bucket", set("contents.0.parts.0", { fileData: { fileUri: "gs://a/b" } }), /file uri/],
    ["labels", set("labels", {}), /Unknown name "labels"/],
  ],
};

/** Google Cloud, with signatures and without ids. */
export const vertexHistories: HistoryTable = {
  vendor: "google's gemini on the cloud platform",
  path: "/v1beta1/projects/p/locations/l/publishers/google/models/gemini-3.8-flash:generateContent",
  first: { ...first, labels: { team: "a" } },
  next,
  sound: [["a file in a bucket", set("contents.0.parts.0", { fileData: { fileUri: "gs://a/b" } })]],
  broken: [
    ...broken,
    ...signed,
    ["an id of our own for a call", set(`${lastCall}.id`, "call_1"), /Unknown name "id"/],
    ["an id of our own for a result", set(`${lastResult}.id`, "call_1"), /Unknown name "id"/],
  ],
};

/** Gemini API with a model older than signatures. */
export const olderGoogleHistories: HistoryTable = {
  vendor: "google's older gemini",
  path: "/v1beta/models/gemini-2.5-flash:generateContent",
  first,
  next,
  sound: [
    goingOn,
    ["a call without arguments", drop(`${lastCall}.args`)],
    ["a thinking budget", think({ thinkingBudget: -1 })],
  ],
  broken: [
    ...broken,
    ["JSON and tools", set("generationConfig.responseMimeType", "application/json"), /is unsupported/],
    ["a level of thinking", think({ thinkingLevel: "LOW" }), /level is not supported/],
  ],
};

function choose(config: object): (document: unknown) => void {
  return set("toolConfig", { functionCallingConfig: config });
}

function think(config: object): (document: unknown) => void {
  return set("generationConfig.thinkingConfig", config);
}

function declare(declaration: object): (document: unknown) => void {
  return set("tools.0.functionDeclarations.0", declaration);
}

/** Moves the second result into a separate content. */
function apart(): ((document: unknown) => void)[] {
  return [
    drop("contents.2.parts.1"),
    insert("contents.3", { role: "user", parts: [{ functionResponse: { name: "get_weather", response: {} } }] }),
  ];
}
