import { validate } from "@readme/openapi-parser";
import { http } from "@troupe/http";
import { expect, it } from "vitest";
import { teller } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";
import { readApiOptions } from "../settings.ts";
import { apiPaths, apiTag } from "./api-paths.ts";
import { apiSchemas } from "./api-schemas.ts";

type Described = { readonly description: string; readonly tags: string[]; readonly responses: object };
type Tag = { readonly name: string };

it("the OpenAI API describes its paths in the OpenAPI document of the service", async () => {
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

it("the OpenAI API leaves out Chat Completions that are not served", async () => {
  const { ask } = await serve(
    { agents: { teller: teller() } },
    { api: { chat: false }, beside: [http({ swagger: {} })] },
  );
  const { json } = await ask("/docs/spec.json");
  expect(Object.keys(json.paths as object)).not.toContain("/v1/chat/completions");
});

it("the OpenAI API describes each operation, under a tag that the document has, with the errors of a client", async () => {
  const { ask } = await serve({ agents: { teller: teller() } }, { beside: [http({ swagger: {} })] });
  const { json } = await ask("/docs/spec.json");
  const { paths, tags } = json as unknown as { paths: Record<string, Record<string, Described>>; tags: Tag[] };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith("/v1/") ? Object.values(item) : [],
  );
  expect(operations).toHaveLength(8);
  for (const { description, tags: own, responses } of operations) {
    expect(description).toMatch(/^[A-Z].{20,}\.$/);
    expect(tags.map(({ name }) => name)).toEqual(expect.arrayContaining(own));
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["200", "4XX", "default"]));
  }
});

// What the readers of the description see. If a change is meant, write the outline anew by `vitest --update`.
it("the OpenAI API describes its operations and schemas in these words", async () => {
  const settings = readApiOptions({ basePath: "/v2" });
  const described = JSON.stringify({ paths: apiPaths(settings), schemas: apiSchemas(), tags: [apiTag] }, null, 1);
  await expect(`${described}\n`).toMatchFileSnapshot("../../test/outlines/described.txt");
});
