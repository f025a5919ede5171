import { ScriptedModel } from "@troupe/core/testing";
import { OfflineEmbeddings } from "@troupe-internal/offline-model";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseEmbeddings } from "./choose-embeddings.ts";

const model = new ScriptedModel("Hello.");

describe("the embeddings of the demo", () => {
  it("are the offline ones without a setting", () => {
    expect(chooseEmbeddings(model, {})).toBeInstanceOf(OfflineEmbeddings);
  });

  it("are those of any server with OpenAI's API, which never gets another service's key", async () => {
    const vendor = await FakeVendor.start({ dimensions: 8 });
    onTestFinished(async () => await vendor.close());
    const variables = { TROUPE_DEMO_EMBEDDINGS_URL: `${vendor.url}/v1`, OPENAI_API_KEY: "sk-of-openai" };
    const own = { ...variables, TROUPE_DEMO_EMBEDDINGS_MODEL: "e5", TROUPE_DEMO_EMBEDDINGS_KEY: "k" };

    expect(await chooseEmbeddings(model, variables).embed("rain")).toHaveLength(8);
    expect(await chooseEmbeddings(model, own).embed("rain")).toHaveLength(8);
    expect(vendor.exchanges.map(({ key, request }) => [key, (request.body as { model?: string }).model])).toEqual([
      ["none", "default"],
      ["k", "e5"],
    ]);
  });

  it.each([
    [{ TROUPE_DEMO_EMBEDDINGS_URL: "localhost:8000" }, "TROUPE_DEMO_EMBEDDINGS_URL must be a URL"],
    [{ TROUPE_DEMO_EMBEDDINGS_MODEL: "e5" }, "has no effect without TROUPE_DEMO_EMBEDDINGS_URL"],
    [{ TROUPE_DEMO_EMBEDDINGS_KEY: "k" }, "has no effect without TROUPE_DEMO_EMBEDDINGS_URL"],
  ])("refuse %o at the start", (variables, message) => {
    expect(() => chooseEmbeddings(model, variables)).toThrow(message);
  });
});
