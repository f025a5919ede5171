import type { FakeVendor, VendorAnswer } from "@troupe-internal/vendor-fakes";
import type { ModelOptions, ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { lastBody, modelOf, question, startVendor } from "../test/ask.ts";

const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
const reasoning = { enabled: true, effort: "low" } as const;
const options: ModelOptions = {
  tools: [{ name: "get_weather", description: "Tells the weather.", parameters }],
  reasoning,
};
const call = { name: "get_weather", arguments: {} };
const steps: VendorAnswer[] = [
  { thinking: "I need the weather.", text: "Let me look.", toolCalls: [call, call] },
  { thinking: "Once more.", toolCalls: [call] },
  { thinking: "Rain.", text: "Take one." },
];

const ways = {
  "asked for whole": (model: ModelProvider, messages: ModelMessage[]) => model.generate(messages, options),
  streamed: (model: ModelProvider, messages: ModelMessage[]) => collectResponse(model.stream(messages, options)),
};

/** A loop of tools, as an agent would go through it, and every message that came of it. */
async function loop(ask: (messages: ModelMessage[]) => Promise<ModelResponse>): Promise<ModelMessage[]> {
  const messages = [...question];
  for (let step = 0; step < steps.length; step += 1) {
    const { text, toolCalls, vendorState } = await ask(messages);
    messages.push({ role: "assistant", content: text || null, toolCalls, ...(vendorState && { vendorState }) });
    messages.push(...toolCalls.map(({ id }) => ({ role: "tool" as const, toolCallId: id, content: "rain" })));
  }
  return messages;
}

function inputOf(vendor: FakeVendor): { type?: string; role?: string }[] {
  return lastBody(vendor)["input"] as { type?: string; role?: string }[];
}

describe.each(Object.entries(ways))("what the vendor wants back of an answer that was %s", (_name, ask) => {
  it("goes back as it came, as the strict vendor demands", async () => {
    const vendor = (await startVendor()).say(...steps);
    const model = modelOf(vendor);
    await loop((sent) => ask(model, sent));

    vendor.assertDone();
    const kinds = inputOf(vendor).map(({ type, role }) => type ?? role);
    const first = "user reasoning message function_call function_call function_call_output function_call_output";
    expect(kinds.join(" ")).toBe(`${first} reasoning function_call function_call_output`);
  });

  it("stays away from another model, and from a message that no longer says the same", async () => {
    const vendor = (await startVendor()).say(...steps).respond(() => ({ answer: "Yes." }));
    const messages = await loop((sent) => ask(modelOf(vendor), sent));
    const kindsFor = async (model: ModelProvider, sent: readonly ModelMessage[]) => {
      await ask(model, [...sent]);
      return inputOf(vendor).map(({ type }) => type);
    };
    const [asked, called, answered] = messages;
    const oneCall = { ...called, toolCalls: called?.toolCalls?.slice(0, 1) } as ModelMessage;
    const stored = messages.map((message) => {
      const { vendorState: _, ...plain } = message;
      return plain;
    });

    expect(await kindsFor(modelOf(vendor), messages)).toContain("reasoning");
    expect(await kindsFor(modelOf(vendor, { modelId: "gpt-6-luna" }), messages)).not.toContain("reasoning");
    expect(await kindsFor(modelOf(vendor), stored)).not.toContain("reasoning");
    const shortened = [asked, oneCall, answered] as ModelMessage[];
    expect(await kindsFor(modelOf(vendor), shortened)).not.toContain("reasoning");
    expect(vendor.exchanges.every(({ refusal }) => refusal === undefined)).toBe(true);
  });

  it("goes back through Chat Completions under the name under which it came", async () => {
    const vendor = (await startVendor()).say(...steps);
    const model = modelOf(vendor, { api: "chat" });
    await loop((sent) => ask(model, sent));

    const sent = lastBody(vendor)["messages"] as Record<string, unknown>[];
    expect(sent.map(({ reasoning_content: words }) => words)).toEqual([
      undefined,
      "I need the weather.",
      undefined,
      undefined,
      "Once more.",
      undefined,
    ]);
  });

  it("belongs to the interface through which it came", async () => {
    const vendor = (await startVendor()).say(...steps, "Yes.");
    const messages = await loop((sent) => ask(modelOf(vendor), sent));
    await ask(modelOf(vendor, { api: "chat", modelId: "gpt-6.1-sol" }), messages);

    expect(vendor.exchanges.at(-1)?.refusal).toBeUndefined();
    expect(JSON.stringify(lastBody(vendor))).not.toContain("encrypted");
  });
});

it("the vendor state names the answer and the model that gave it", async () => {
  const vendor = (await startVendor()).say("One.", "Two.");
  const model = modelOf(vendor);
  const [whole, streamed] = [await model.generate(question), await collectResponse(model.stream(question))];

  expect(whole).toMatchObject({ responseId: expect.stringMatching(/^resp_/), model: "gpt-6.1-sol" });
  expect(streamed).toMatchObject({ responseId: expect.stringMatching(/^resp_/), model: "gpt-6.1-sol" });
});
