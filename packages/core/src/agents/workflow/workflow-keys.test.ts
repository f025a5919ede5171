import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { runOfContext } from "../run/derive-context.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Workflow } from "./workflow.ts";

class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string) {
    super();
    this.providerId = providerId;
    this.respond(() => "fine");
  }

  get keys(): unknown[] {
    return this.calls.map(({ options }) => options.apiKey);
  }
}

/** A workflow with an agent of each model, side by side. */
function flowOf(...models: VendorModel[]) {
  const agents = models.map((model, index) => ({
    name: `step${index}`,
    agent: new Agent({ name: "a", model }),
    inputFrom: () => "go",
  }));
  return new Workflow({ name: "flow", initialState: {}, steps: [{ name: "all", parallel: agents }] });
}

describe("the keys of a workflow", () => {
  it("are sent to their vendors, a generic one to the only vendor", async () => {
    const [one, other] = [new VendorModel("openai"), new VendorModel("openai")];
    await flowOf(one, other).run({ apiKey: "generic" });

    expect([one.keys, other.keys]).toEqual([["generic"], ["generic"]]);
  });

  it("must be per vendor when agents have several vendors", async () => {
    const models = [new VendorModel("openai"), new VendorModel("anthropic")] as const;
    const failure = flowOf(...models).run({ apiKey: "generic" });

    await expect(failure).rejects.toMatchObject({ code: "invalid_request" });
    await expect(failure).rejects.toThrow(/openai, anthropic.*x-openai-api-key, x-anthropic-api-key/);
    expect(models.flatMap(({ calls }) => calls)).toEqual([]);
    await flowOf(...models).run({ apiKeys: { openai: "one", anthropic: "other" } });
    expect(models.map(({ keys }) => keys)).toEqual([["one"], ["other"]]);
  });

  it("include a generic key for two runtimes of the same vendor", async () => {
    const models = [new VendorModel("google"), new VendorModel("vertex")] as const;
    await flowOf(...models).run({ apiKey: "generic" });

    expect(models.map(({ keys }) => keys)).toEqual([["generic"], ["generic"]]);
  });

  it("are bound by the vendors of nested workflows too", async () => {
    const inner = flowOf(new VendorModel("openai"), new VendorModel("anthropic")).asRunnable();
    const flow = new Workflow({ name: "outer", initialState: {}, steps: [{ name: "inner", agent: inner }] });

    await expect(flow.asRunnable().run("go", { apiKey: "generic" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("are inherited by runs that a function step starts, and are in no context", async () => {
    const model = new VendorModel("openai");
    const agent = new Agent({ name: "a", model });
    let shown = "";
    const flow = new Workflow({
      name: "flow",
      initialState: { user: "", text: "" },
      steps: [
        {
          name: "by hand",
          run: async (_state, context) => {
            shown = JSON.stringify(context);
            expect(runOfContext(context)?.keyFor("openai")).toBe("sk-canary");
            const { text, userId = "" } = await agent.run("go", { parent: context });
            return { text, user: userId };
          },
        },
      ],
    });
    const { state, usage } = await flow.run({ apiKeys: { openai: "sk-canary" }, userId: "u1" });

    expect([state, usage.totalTokens, model.keys]).toEqual([{ user: "u1", text: "fine" }, 15, ["sk-canary"]]);
    expect(shown).not.toContain("canary");
  });
});
