import { describe, expect, it } from "vitest";
import { chooseModel } from "./choose-model.ts";

function chosen(variables: Record<string, string>): string {
  const { providerId, modelId } = chooseModel(variables);
  return `${providerId}/${modelId}`;
}

describe("chooseModel", () => {
  it("chooses the offline model when there is no key", () => {
    expect(chosen({})).toBe("offline/patterns");
    expect(chosen({ OPENAI_API_KEY: "" })).toBe("offline/patterns");
  });

  it("chooses the first vendor that has a key", () => {
    expect(chosen({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^openai\//);
    expect(chosen({ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^anthropic\//);
    expect(chosen({ GOOGLE_API_KEY: "k" })).toMatch(/^google\//);
    expect(chosen({ GEMINI_API_KEY: "k" })).toMatch(/^google\//);
  });

  it("chooses the model that TROUPE_DEMO_MODEL names, whatever keys there are", () => {
    const named = (name: string) => chosen({ OPENAI_API_KEY: "k", TROUPE_DEMO_MODEL: name });

    expect(named("offline")).toBe("offline/patterns");
    expect(named("anthropic")).toMatch(/^anthropic\/claude-/);
    expect(named("ollama/hf.co/some/model:q4")).toBe("ollama/hf.co/some/model:q4");
  });

  it.each<[variables: Record<string, string>, problem: string]>([
    [{ TROUPE_DEMO_MODEL: "gpt-6" }, "TROUPE_DEMO_MODEL must be offline or one of openai, anthropic, google, ollama"],
    [{ TROUPE_DEMO_MODEL: "constructor" }, "TROUPE_DEMO_MODEL must be"],
    [{ TROUPE_DEMO_MODEL_URL: "http://localhost:1" }, "set TROUPE_DEMO_MODEL to one"],
    [{ TROUPE_DEMO_MODEL: "offline", TROUPE_DEMO_MODEL_URL: "http://localhost:1" }, "set TROUPE_DEMO_MODEL to one"],
    [{ TROUPE_DEMO_MODEL: "openai", TROUPE_DEMO_MODEL_URL: "nowhere" }, "must be an http: or https: URL"],
  ])("refuses %j", (variables, problem) => {
    expect(() => chooseModel(variables)).toThrowError(problem);
  });
});
