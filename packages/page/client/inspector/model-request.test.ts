import { createElement } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it, vi } from "vitest";
import type { InspectedModelCall } from "../../src/inspector/inspected-run.ts";
import { showOnPage } from "../test/fake-page.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { ModelRequest } from "./model-request.tsx";
import { toRunTree } from "./read-run-tree.ts";

const call: InspectedModelCall = {
  providerId: "openai",
  modelId: "gpt\u202e",
  isStream: true,
  settings: { temperature: 0, stop: ["END", "é"], other: null },
  system: ["Be brief.", "Always."],
  messages: [
    { role: "user", content: "Où?" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "look", arguments: { at: "Oslo" } }] },
    { role: "tool", content: [{ type: "text", text: "9 °C" }], toolCallId: "1", name: "look" },
    { role: "constructor", content: null },
    "… 3 more",
  ],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }, "… 1 more"],
};

async function show(answer: Promise<InspectedModelCall>) {
  const modelCall = vi.fn<InspectorClient["modelCall"]>(async () => await answer);
  const client = { modelCall } as unknown as InspectorClient;
  const shown = showOnPage((props: Parameters<typeof ModelRequest>[0]) => createElement(ModelRequest, props), {
    client,
    runId: "r",
    logKey: "m/0",
  });
  const pass = async () => await act(async () => await Promise.resolve());
  return { ...shown, modelCall, pass };
}

const textsOf = (body: Awaited<ReturnType<typeof show>>["body"], name: string) =>
  body.all(name).map(({ text }) => text);

describe("a model call as it was sent", () => {
  it("has the model, the settings, the system prompt, each message and each tool, without signs that cannot be seen", async () => {
    const { body, pass, modelCall } = await show(Promise.resolve(call));
    expect(body.text).toBe("Loading what was sent…");
    await pass();

    expect(modelCall.mock.calls.map(([runId, step]) => [runId, step])).toEqual([["r", "m/0"]]);
    expect(textsOf(body, "dt")).toEqual(["Vendor", "Model", "Answer", "Temperature", "Stops at", "other"]);
    expect(textsOf(body, "dd")).toEqual([
      "openai",
      expect.stringMatching(/^gpt.+/),
      "streamed",
      "0",
      '["END","é"]',
      "null",
    ]);
    expect(body.text).not.toContain("\u202e");
    expect(body.all("System prompt").map((each) => each.one("pre").text)).toEqual(["Be brief.", "Always."]);
    const messages = body.one("Messages").all("li");
    expect(messages.map((each) => each.all("span")[0]?.text)).toEqual([
      "User",
      "Model",
      "Tool look",
      "Message",
      "Message",
    ]);
    expect(messages[1]?.one("pre").text).toMatch(/"tool": "look"[^]*"at": "Oslo"/);
    expect(messages[2]?.one("pre").text).toContain("9 °C");
    expect(
      body
        .one("Tools")
        .all("summary")
        .map(({ text }) => text),
    ).toEqual(["look Looks."]);
    // The service leaves out what is too much to show, and says so.
    expect(messages[4]?.one("pre").text).toBe("… 3 more");
    expect(body.one("Tools").all("p").at(-1)?.text).toBe("… 1 more");
  });

  it("says why it is not there", async () => {
    const { body, pass } = await show(Promise.reject(new Error("This process does not have the call.")));
    await pass();

    expect(body.text).toBe("As it was sent: This process does not have the call.");
  });

  it("is left when it is closed, and says nothing then", async () => {
    const { close, modelCall, pass } = await show(new Promise(() => undefined));
    const signal = modelCall.mock.calls[0]?.[2];
    close();
    await pass();

    expect(signal?.aborted).toBe(true);
  });
});

it("the tree of a run knows a model call by the key that it has in the log", () => {
  const details = {
    run: { runId: "r", kind: "team", name: "t", sessionId: "s", status: "running", createdAt: 0, attempts: 1 },
  } as const;
  const done = (step: string) => ({ type: "done", step, facts: {}, durationMs: 1 }) as const;
  const { steps } = toRunTree(details, [
    done("route/m/0"),
    { type: "text", step: "t/0/0/run/c0/m/0", text: "é" },
    done("t/0/1"),
  ]);
  const keys = (all: typeof steps): unknown[] =>
    all.flatMap(({ key, logKey, children }) => [...(logKey === undefined ? [] : [[key, logKey]]), ...keys(children)]);

  expect(keys(steps)).toEqual([
    ["m/0", "route/m/0"],
    [expect.any(String), "t/0/0/run/c0/m/0"],
  ]);
});
