import { describe, expect, it } from "vitest";
import { encryptedPage, encryptedIndex } from "../dialects/anthropic-hosted.ts";
import { signPart } from "../dialects/google-hosted.ts";
import { markOf } from "../dialects/openai-hosted.ts";
import { isObject } from "../json-body.ts";
import { refuseAnthropic } from "./anthropic.ts";
import { refuseGoogle } from "./google.ts";
import { refuseOpenaiResponses } from "./openai-responses.ts";

const page = { url: "https://yr.no/oslo", title: "Oslo" };
const user = { role: "user", content: "Sure?" };
type Parts = Record<string, unknown>[];

function refuseClaude(content: Parts, last: object[] = [user], more: object = {}) {
  const messages = [user, { role: "assistant", content }, ...last];
  const body = { model: "claude-opus-5-5", max_tokens: 10, messages, ...more };
  return refuseAnthropic({ method: "POST", url: "/v1/messages", headers: { "anthropic-version": "1" }, body });
}

function refuseGemini(parts: Parts) {
  const asked = { role: "user", parts: [{ text: "Sure?" }] };
  const body = { contents: [asked, { role: "model", parts }, asked] };
  const url = "/v1beta/models/gemini-3.8-flash:generateContent";
  return refuseGoogle(
    { method: "POST", url, headers: {}, body },
    { kind: "chat", modelId: "gemini-3.8-flash", stream: false },
  );
}

const refuseGpt = (items: Parts) => refuseOpenaiResponses({ model: "gpt-6.1-sol", input: [...items, user] });

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "Oslo" } };
const found = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", ...page, encrypted_content: encryptedPage(page.url, page.title) }],
};
const citation = { type: "web_search_result_location", ...page, encrypted_index: encryptedIndex(page.url) };
const cited = { type: "text", text: "It rains.", citations: [citation] };
const run = { type: "server_tool_use", id: "srvtoolu_2", name: "code_execution", input: { code: "1" } };

const executableCode = { language: "PYTHON", code: "1", id: "srv_1" };
const coded = { executableCode, thoughtSignature: signPart(executableCode) };
const ran = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1", id: "srv_1" } };

const call = { type: "web_search_call", id: `ws_r_abc_0_${markOf({ query: "Oslo" })}`, action: { query: "Oslo" } };

describe("a strict vendor", () => {
  it("takes calls of its own tools that come back as they were", () => {
    expect(refuseClaude([search, found, cited])).toBeUndefined();
    expect(refuseClaude([search], [])).toBeUndefined();
    expect(refuseClaude([run], [], { container: "container_1" })).toBeUndefined();
    expect(refuseGemini([coded, ran, { text: "1" }])).toBeUndefined();
    expect(refuseGpt([{ ...call, id: call.id.replace("r_", "") }])).toBeUndefined();
  });

  it.each<[what: string, refused: unknown]>([
    ["Claude's search without its result", refuseClaude([search, cited])],
    ["Claude's result without its search", refuseClaude([found, cited])],
    ["Claude's result before its search", refuseClaude([found, search])],
    [
      "a page of Claude with another title",
      refuseClaude([search, { ...found, content: [{ ...found.content[0], title: "" }] }]),
    ],
    ["a citation of Claude with another address", refuseClaude([{ ...cited, citations: [{ ...citation, url: "x" }] }])],
    ["Claude's paused code without its container", refuseClaude([run], [])],
    ["Gemini's code without its result", refuseGemini([coded, { text: "1" }])],
    ["Gemini's result without its code", refuseGemini([ran, { text: "1" }])],
    ["Gemini's code with another signature", refuseGemini([{ ...coded, thoughtSignature: "x" }, ran])],
    ["a search of GPT without its reasoning", refuseGpt([call])],
    ["a search of GPT for something else", refuseGpt([{ ...call, id: "ws_1", action: { query: "Rome" } }])],
  ])("refuses %s", (_what, refused) => {
    expect(isObject(refused) && refused["message"]).toEqual(expect.any(String));
  });
});
