import { InMemoryStorage } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { outlineComponents, outlineOperations, outlineWords } from "../../test/outline.ts";
import { counter, desk, talker } from "../../test/runnables.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

const plain = { agents: { a: talker() }, teams: { t: desk() }, workflows: { w: counter() } };

const routers: [file: string, options: Parameters<typeof generateOpenAPISpec>[0]][] = [
  ["all", { ...plain, storage: new InMemoryStorage(), durable: true, schedules: true, fileUpload: { maxFiles: 3 } }],
  ["plain", { ...plain, genericApiKeyHeader: false, fileUpload: false }],
];

// What a client may rely on. If a change is meant, write the outlines anew by `vitest --update`.
describe.each(routers)("the description of a router with options: %s", (file, options) => {
  it("has these operations, with these requests and answers", async () => {
    const outline = outlineOperations(generateOpenAPISpec(options)).join("\n");
    await expect(`${outline}\n`).toMatchFileSnapshot(`../../test/outlines/${file}-operations.txt`);
  });

  it("has these schemas, parameters, headers and keys", async () => {
    const outline = outlineComponents(generateOpenAPISpec(options)).join("\n");
    await expect(`${outline}\n`).toMatchFileSnapshot(`../../test/outlines/${file}-components.txt`);
  });
});

// What its reader sees. The words of the other router are the same.
it("the description of a router with all options has these words and examples", async () => {
  const outline = outlineWords(generateOpenAPISpec(routers[0]?.[1])).join("\n");
  await expect(`${outline}\n`).toMatchFileSnapshot("../../test/outlines/all-words.txt");
});
