import { createElement } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it, vi } from "vitest";
import type { InspectedModelCall } from "../../src/inspector/inspected-run.ts";
import { showOnPage } from "../test/fake-page.ts";
import type { InspectorClient } from "./inspector-client.ts";
import { RunAgain } from "./run-again.tsx";
import type { TreeStep } from "./run-tree.ts";

const call: InspectedModelCall = {
  providerId: "openai",
  modelId: "gpt",
  isStream: true,
  settings: {},
  system: ["Be brief.", "Always."],
  messages: [{ role: "user", content: "Où?" }],
  tools: [],
};

/** A step that has made a model call. */
const step = {
  key: "1",
  kind: "model",
  name: "Model call 1",
  status: "completed",
  output: "It rains in Oslo.",
  usage: { promptTokens: 8, completionTokens: 4, totalTokens: 12 },
  durationMs: 900,
} as unknown as TreeStep;

/** Opens the form for a call that was sent like this. */
async function open(read: Promise<InspectedModelCall>, takesKeys = true) {
  const modelCall = vi.fn<InspectorClient["modelCall"]>(async () => await read);
  const callAgain = vi.fn<InspectorClient["callAgain"]>();
  const client = { modelCall, callAgain, takesKeys } as unknown as InspectorClient;
  const shown = showOnPage((props: Parameters<typeof RunAgain>[0]) => createElement(RunAgain, props), {
    client,
    runId: "r",
    logKey: "m/0",
    step,
    models: ["large", "small"],
  });
  const pass = async () => await act(async () => await Promise.resolve());
  expect(modelCall).not.toHaveBeenCalled();
  const again = shown.body.one("Run again with…");
  again.fire("toggle", { currentTarget: { open: true } });
  await pass();
  return { ...shown, again, callAgain, pass };
}

describe("a model call that is made again", () => {
  it("has an offered model and another prompt, and its answer is beside the first, with what differs marked [page.inspector-again]", async () => {
    const { again, callAgain, pass } = await open(Promise.resolve(call));
    const usage = { promptTokens: 8, completionTokens: 5, totalTokens: 13 };
    callAgain.mockResolvedValue({ model: "small-1", text: "It snows in Oslo.", calls: [], usage, durationMs: 400 });
    expect(again.one("textarea").value).toBe("Be brief.\n\nAlways.");
    again.one("select").fire("change", { currentTarget: { value: "small" } });
    again.one("textarea").fire("input", { currentTarget: { value: "Be long." } });
    again.one("form").fire("submit");
    await pass();

    expect(callAgain.mock.calls).toEqual([["r", "m/0", { model: "small", system: "Be long." }]]);
    expect(again.one("First").text).toMatch(/gpt.*12 tokens · 900 ms/);
    expect(again.one("Again").text).toMatch(/small-1 · 13 tokens · 400 ms/);
    expect(again.all("mark").map(({ text }) => text)).toEqual(["rains ", "snows "]);
  });

  it.each([
    [true, / A key of the model's vendor that you have entered is used, else the key of the service\.$/],
    [false, /the first run\. $/],
  ])("says whose key is used if the page takes keys: %s", async (takesKeys, said) => {
    const { again } = await open(Promise.resolve(call), takesKeys);

    expect(again.all("p")[0]?.text).toMatch(said);
  });

  it("says why it was not made", async () => {
    const { again, callAgain, pass } = await open(Promise.resolve(call));
    callAgain.mockRejectedValue(new Error("Model é is away."));
    again.one("form").fire("submit");
    await pass();

    expect(again.all("p").at(-1)?.text).toBe("Model é is away.");
  });

  it("has no form for a call that is not there as a whole", async () => {
    const cut = await open(Promise.resolve({ ...call, isCut: true }));
    const lost = await open(Promise.reject(new Error("The call é is gone.")));
    const late = await open(new Promise<InspectedModelCall>(() => undefined));

    expect([cut, lost, late].map(({ again }) => again.all("p").map(({ text }) => text))).toEqual([
      ["This call is not kept as a whole, so it cannot be made again."],
      ["The call é is gone."],
      ["Loading what was sent…"],
    ]);
    expect([cut, lost, late].flatMap(({ again }) => again.all("form"))).toEqual([]);
  });
});
