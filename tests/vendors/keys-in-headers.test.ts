import { bedrockDialect, FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { bedrock } from "@troupe/providers-bedrock";
import { groq, mistral, xai } from "@troupe/providers-openai/presets";
import { expect, it, onTestFinished } from "vitest";

/** The providers without a header of their own in the specification: their keys come in `x-<id>-api-key`. */
const providers: Readonly<Record<string, (url: string) => ModelProvider>> = {
  bedrock: (baseURL) => bedrock("amazon.nova-pro-v1:0", { baseURL, region: "us-east-1" }),
  groq: (url) => groq("m", { baseURL: `${url}/v1` }),
  mistral: (url) => mistral("m", { baseURL: `${url}/v1` }),
  xai: (url) => xai("m", { baseURL: `${url}/v1` }),
};
const names = Object.keys(providers);

it.each(names)("the key in the header of %s reaches its vendor, and no key of another does", async (name) => {
  const vendor = await FakeVendor.start({ dialect: bedrockDialect });
  onTestFinished(() => vendor.close());
  vendor.respond(() => ({ answer: "Yes." }));
  const model = providers[name]?.(vendor.url);
  if (model === undefined) throw new Error("No such provider.");
  const service = createService({ agents: { helper: new Agent({ name: "helper", model }) } });
  onTestFinished(() => service.close());
  const handler = createHandler(service, [http()]);
  const ask = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ input: "Hi" });
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
    return (await handler(new Request("http://localhost/agents/helper/run", init))).status;
  };
  const others = names.filter((other) => other !== name).map((other) => [`x-${other}-api-key`, `key-of-${other}`]);
  expect(await ask({ [`x-${name}-api-key`]: "key-of-the-caller", ...Object.fromEntries(others) })).toBe(200);
  await ask(Object.fromEntries(others));

  const keys = vendor.exchanges.map(({ request }) => request.headers["authorization"]);
  expect(keys[0]).toBe("Bearer key-of-the-caller");
  expect(JSON.stringify(vendor.exchanges)).not.toMatch(/key-of-(?!the-caller)/);
});
