import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { bodiesOf, gather, startVendor } from "../test/vendor.ts";
import { ollama } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const tools = [{ name: "look", description: "", parameters: {} }];

describe("a failure", () => {
  it("names a server that does not run, and how to start it", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));

    const { error } = await gather(ollama("qwen3:8b", { baseURL }).stream(ask));

    expect(error).toMatchObject({
      code: "model_failed",
      message:
        "ollama does not run where baseURL says: start it with `ollama serve`, or say where it is, with its port.",
      fields: { vendor: "ollama" },
      cause: { name: "ModelError", networkCode: "ECONNREFUSED" },
    });
  });

  it("says how to get a missing model, without the server's words", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ failure: { status: 404, message: 'model "secret prompt" not found, try pulling it first' } });

    await expect(connect("llama9").generate(ask)).rejects.toMatchObject({
      code: "model_failed",
      message: "ollama has no model llama9: get it with `ollama pull llama9`.",
      fields: { vendor: "ollama", status: 404 },
      cause: { name: "ModelError", status: 404 },
    });
  });

  it("names the address when the API is not found there", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ raw: { status: 404, headers: { "content-type": "text/plain" }, frames: ["404 page not found"] } });

    await expect(connect().generate(ask)).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("without /api or /v1"),
    });
  });

  it("names the rule that leaves tools out for a model without them", async () => {
    const { connect } = await startVendor();

    await expect(connect("gemma3:4b").generate(ask, { tools })).rejects.toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("rules.tools: false"),
      fields: { status: 400 },
    });
  });
});

describe("a model that turns out not to think", () => {
  it("is asked once more without it, and so from then on", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("a", "b", "c");
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
    const model = connect("llama3.2", { logger });
    const options = { reasoning: { enabled: true } };

    const { text } = await model.generate(ask, options);
    await model.generate(ask, options);
    await gather(model.stream(ask, options));

    expect(text).toBe("a");
    expect(bodiesOf(vendor).map(({ think }) => think)).toEqual([true, undefined, undefined, undefined]);
    expect(lines).toHaveLength(3);
  });

  it("is asked once when nobody wanted it to think", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ failure: { status: 400, message: '"m" does not support thinking' } });

    await expect(connect("m").generate(ask)).rejects.toMatchObject({ code: "model_failed", status: 400 });
    vendor.assertDone();
    expect(vendor.exchanges).toHaveLength(1);
  });

  it("is so for all who ask it at once", async () => {
    const { vendor, connect } = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const model = connect("llama3.2");

    const asked = Array.from({ length: 5 }, () => model.generate(ask, { reasoning: { enabled: true } }));

    expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => "Yes."));
  });
});
