import { expect, it, onTestFinished } from "vitest";
import { FakeVendor } from "./index.ts";

it("FakeVendor answers as planned, in the dialect of each request", async () => {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  vendor.say({ toolCalls: [{ name: "get_weather", arguments: { city: "Oslo" } }] }, "Take an umbrella.");
  vendor.plan(
    { failure: { status: 429, retryAfterSeconds: 2 } },
    { transcript: "openai-chat-text.sse", delivery: { pieceBytes: 1 } },
    { answer: "Cut off.", delivery: { fault: { kind: "reset", at: { afterBytes: 300 } } } },
  );

  const ask = async (content: string) =>
    await fetch(`${vendor.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer key-1" },
      body: JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content }] }),
    });

  expect(await (await ask("Umbrella?")).text()).toContain("get_weather");
  expect(await (await ask("Umbrella?")).text()).toContain("Take an umbrella.");
  expect((await ask("Umbrella?")).headers.get("retry-after")).toBe("2");
  expect(await (await ask("Umbrella?")).text()).toContain("[DONE]");
  await expect((await ask("Umbrella?")).text()).rejects.toThrow(/terminated/);

  expect(vendor.exchanges[0]).toMatchObject({ dialect: "openai-chat", key: "key-1", end: "completed" });
  expect(vendor.exchanges[0]?.billed).toEqual({ promptTokens: 10, completionTokens: 5, totalTokens: 15 });
  expect(vendor.exchanges[4]).toMatchObject({ end: "broken" });
  vendor.assertDone();
});
