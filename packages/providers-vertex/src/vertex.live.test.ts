import type { ChatMessage } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { gather } from "../test/vendor.ts";
import { vertex } from "./index.ts";

const isLive = process.env["TROUPE_LIVE"] === "1";
const project = process.env["TROUPE_LIVE_VERTEX_PROJECT"] ?? "";
const location = process.env["TROUPE_LIVE_VERTEX_LOCATION"] ?? "global";
const whyNot = isLive ? "TROUPE_LIVE_VERTEX_PROJECT is not set" : "TROUPE_LIVE is not 1";

const models = ["gemini-2.5-flash", "gemini-2.5-pro"];
const tools = [
  {
    name: "get_weather",
    description: "Tells the weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const ask = (content: string): ChatMessage[] => [{ role: "user", content }];

if (!isLive || project === "") {
  process.stdout.write(`vertex's live tests of ${models.join(", ")} are skipped: ${whyNot}\n`);
}

// With the Application Default Credentials of whoever runs them.
describe.skipIf(!isLive || project === "").each(models)("vertex's real %s", { timeout: 120_000 }, (modelId) => {
  const connect = () => vertex(modelId, { project, location });

  it("answers whole and streamed, and counts", async () => {
    const whole = await connect().generate(ask("Say only: umbrella"));
    const { chunks, error } = await gather(connect().stream(ask("Say only: umbrella")));

    expect(whole.text.toLowerCase()).toContain("umbrella");
    expect(whole.usage.totalTokens).toBeGreaterThan(0);
    expect([error, chunks.at(-1)]).toMatchObject([undefined, { type: "finish", finishReason: "stop" }]);
  });

  it("thinks, calls a tool, and takes what it signed back with the result", async () => {
    const options = { tools, reasoning: { enabled: true, budgetTokens: 2048 } };
    const question = ask("What is the weather like in Oslo? SdkCall the tool.");
    const { text, toolCalls, vendorState } = await connect().generate(question, options);
    const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "It rains." }));

    const { finishReason } = await connect().generate([...question, answer, ...results], options);

    expect(toolCalls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(finishReason).toBe("stop");
  });

  it("refuses a wrong key as the caller's", async () => {
    const refused = connect().generate(ask("Hi"), { apiKey: "AIza-wrong" });

    await expect(refused).rejects.toMatchObject({ code: "unauthorized" });
  });
});
