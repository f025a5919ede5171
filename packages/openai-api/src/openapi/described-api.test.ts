import { validate } from "@readme/openapi-parser";
import { http } from "@troupe/http";
import { expect, it } from "vitest";
import { teller } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";

it("describes its paths in the OpenAPI document of the service", async () => {
  const { ask } = await serve({ agents: { teller: teller() } }, { beside: [http({ swagger: {} })] });
  const { json } = await ask("/docs/spec.json");
  expect((await validate(structuredClone(json) as Parameters<typeof validate>[0])).valid).toBe(true);
  const paths = Object.entries(json.paths as Record<string, object>).filter(([path]) => path.startsWith("/v1/"));
  expect(paths.map(([path, item]) => `${Object.keys(item).join()} ${path}`)).toEqual([
    "get /v1/models",
    "get /v1/models/{model}",
    "post /v1/chat/completions",
    "post /v1/responses",
    "get,delete /v1/responses/{id}",
    "post /v1/responses/{id}/cancel",
    "get /v1/responses/{id}/input_items",
  ]);
});

it("leaves out Chat Completions that are not served", async () => {
  const { ask } = await serve(
    { agents: { teller: teller() } },
    { api: { chat: false }, beside: [http({ swagger: {} })] },
  );
  const { json } = await ask("/docs/spec.json");
  expect(Object.keys(json.paths as object)).not.toContain("/v1/chat/completions");
});
