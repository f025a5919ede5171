import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { openai } from "@troupe/providers-openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { features, seeFeatures, vendorSettings } from "./features.ts";
import { faultsOf, mostTokens, readPrices, toPage, toPlan } from "./page.ts";
import { liveVendors } from "./vendors.ts";

const prices = { input: 3, output: 15 };
const asked = { vendor: "openai", modelId: "gpt-4.1" };
const none = new Map();

describe("the plan", () => {
  it("says the most tokens and their cost before the first call", () => {
    const { promptTokens, completionTokens } = mostTokens();
    const cost = (2 * (promptTokens * 3 + completionTokens * 15)) / 1e6;
    const plan = toPlan([asked, { vendor: "groq", modelId: "m" }], ["xai"], prices);

    expect(plan).toContain(`openai: gpt-4.1, at most ${promptTokens} input and ${completionTokens} output tokens`);
    expect(plan).toContain("Without a key, and not asked: xai.");
    expect(plan).toContain(`Together at most ${cost.toFixed(4)} USD, at 3 and 15 USD per million tokens`);
  });

  it.each(["", "3", "3/", "a/b", "3/15/1", "-1/2"])("rejects the prices %j", (text) => {
    expect(() => readPrices(text)).toThrow(/--prices must be two numbers/);
  });

  it("reads prices", () => {
    expect(readPrices("0.5/2")).toEqual({ input: 0.5, output: 2 });
  });
});

describe("the page", () => {
  it("has each feature for each model, seen or not seen, with tokens, costs and errors", async () => {
    const vendor = await FakeVendor.start();
    onTestFinished(() => vendor.close());
    vendor.respond(({ request }) => {
      const body = JSON.stringify(request.body);
      if (body.includes("long story")) return { failure: { status: 400, message: "No stories." } };
      if (body.includes('"look"') && !body.includes('"role":"tool"')) {
        return { answer: { toolCalls: [{ name: "look", arguments: {} }] } };
      }
      return { answer: body.includes("json_schema") ? '{"rain":true}' : "Hello." };
    });
    const model = openai("gpt-4.1", { apiKey: "sk-1", baseURL: `${vendor.url}/v1`, api: "chat" });
    const results = [{ ...asked, ...(await seeFeatures(model, vendorSettings)) }];
    const page = toPage(results, ["xai"], prices);
    const rowOf = (name: string) => page.split("\n").find((line) => line.startsWith(`| ${name} |`));

    for (const name of Object.keys(features)) expect(rowOf(name)).toMatch(/\| (not )?seen \|$/);
    expect(rowOf("whole answer")).toBe("| whole answer | seen |");
    expect(rowOf("answer by a schema")).toBe("| answer by a schema | seen |");
    expect(rowOf("token limit")).toBe("| token limit | not seen |");
    expect(page).toContain("Not met, for want of a key: xai.");
    const sent = vendor.exchanges.length;
    expect(sent).toBeGreaterThan(10);
    expect(Number(/\| input tokens \| (\d+) \|/.exec(page)?.[1])).toBeGreaterThan(0);
    expect(page).toMatch(/\| cost \| \d+\.\d{4} USD \|/);
    // What every model must do, and this one did not, is a fault; what some models lack is none.
    expect(faultsOf(results)).toEqual(["openai: token limit", "openai: abort"]);
    expect(faultsOf([{ ...asked, features: none, usage: mostTokens() }])).not.toContain("openai: cached tokens");
  });

  it("shows the error of a feature that failed", () => {
    const sights = new Map([["usage", { isSeen: false, error: "unauthorized: No." }]] as const);
    const page = toPage([{ ...asked, features: sights, usage: mostTokens() }], [], prices);

    expect(page).toContain("- openai, usage: unauthorized: No.");
    expect(page).not.toContain("Not met");
  });
});

describe("the vendors", () => {
  it.each(Object.entries(liveVendors))("%s has a model that is made without a call", (name, { make, modelId }) => {
    expect(make(modelId).modelId).toBe(modelId);
    expect(name.startsWith(make(modelId).providerId)).toBe(true);
  });
});
