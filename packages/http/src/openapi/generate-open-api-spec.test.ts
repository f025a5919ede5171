import { validate } from "@readme/openapi-parser";
import { describe, expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { compileSchemas } from "../../test/compile-schemas.ts";
import { hookedService, registries } from "../../test/registries.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";
import type { OpenApiOperation, OpenApiSpec } from "./open-api-spec.ts";

/** Returns the part of a document that a reference leads to. */
function partAt(spec: object, ref: string): unknown {
  const names = ref.split("/").slice(1);
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], spec);
}

function operationsOf({ paths }: OpenApiSpec): OpenApiOperation[] {
  return Object.values(paths).flatMap((path) => Object.values(path));
}

describe("generateOpenAPISpec", () => {
  it.each(registries.slice(0, 2))(
    "[http.openapi-version] returns a document that a validator of OpenAPI 3.0.3 accepts, with %s",
    async (_, options) => {
      const spec = generateOpenAPISpec(options, { servers: [{ url: "https://example.com/api" }], routePrefix: "/v1" });

      const verdict = await validate(structuredClone(spec) as unknown as Parameters<typeof validate>[0]);

      expect(verdict).toMatchObject({ valid: true, warnings: [] });
      expect(spec.openapi).toBe("3.0.3");
    },
  );

  it("returns a document whose errors the validator finds, once it is broken", async () => {
    const spec = structuredClone(generateOpenAPISpec({ agents: { a: talker() } }));
    Object.assign(spec.paths["/agents/a/run"]?.post ?? {}, { responses: undefined });

    expect(await validate(spec as unknown as Parameters<typeof validate>[0])).toMatchObject({ valid: false });
  });

  it.each(registries)("gives each operation a unique id that is a name in every language, with %s", (_, options) => {
    const ids = operationsOf(generateOpenAPISpec(options)).map(({ operationId }) => operationId);

    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]\w*$/);
  });

  it("has examples that match their own schemas", () => {
    const spec = generateOpenAPISpec({ agents: { a: talker() }, workflows: { w: counter() } });
    const schemas = compileSchemas(spec);

    const shown = Object.entries(spec.components.schemas).filter(([, schema]) => "example" in schema);
    for (const [name, { example }] of shown) expect(schemas.problems(name, example), name).toEqual([]);
    expect(shown.length).toBeGreaterThan(30);
    for (const [name, { content }] of Object.entries(spec.components.responses)) {
      expect(schemas.problems("Error", content?.["application/json"]?.example), name).toEqual([]);
    }
  });

  it("has a component for each of its references, with every registry", () => {
    for (const [name, options] of registries) {
      const spec = generateOpenAPISpec(options) as unknown as Record<string, unknown>;
      const refs = JSON.stringify(spec).match(/(?<="\$ref":")[^"]+/g) ?? [];
      const missing = refs.filter((ref) => partAt(spec, ref) === undefined);

      expect(missing, name).toEqual([]);
      expect(refs.length).toBeGreaterThan(50);
    }
  });

  it("[http.openapi-generated] has paths for each registered name, and schemas for all requests and answers", () => {
    const spec = generateOpenAPISpec({
      agents: { a: talker() },
      teams: { "t 1": desk() },
      workflows: { w: counter() },
    });

    expect(Object.keys(spec.paths).slice(0, 6)).toEqual([
      "/agents/a/run",
      "/agents/a/stream",
      "/teams/t%201/run",
      "/teams/t%201/stream",
      "/workflows/w/run",
      "/workflows/w/stream",
    ]);
    expect(spec.components.schemas).toMatchObject({
      RunRequest: {},
      RunOutput: {},
      StreamEvent: {},
      WorkflowResult: {},
    });
  });

  it("[http.openapi-security] declares the four key headers, of which a run takes any or none", () => {
    const { components, paths } = generateOpenAPISpec({ agents: { a: talker() } });

    expect(Object.values(components.securitySchemes)).toMatchObject(
      ["x-openai-api-key", "x-anthropic-api-key", "x-google-api-key", "x-api-key"].map((name) => ({
        type: "apiKey",
        in: "header",
        name,
      })),
    );
    expect(paths["/agents/a/run"]?.post?.security).toEqual([
      {},
      { openaiKey: [] },
      { anthropicKey: [] },
      { googleKey: [] },
      { anyKey: [] },
    ]);
  });

  it("gives each number a format of 64 bits, since clients in Go would keep a time in 32", () => {
    const spec = generateOpenAPISpec({ agents: { a: talker() }, workflows: { w: counter() } });

    const numbers = JSON.stringify(spec).match(/"type":"number"[^{}]*/g) ?? [];

    expect(numbers.length).toBeGreaterThan(3);
    expect(numbers.filter((schema) => !schema.includes('"format":"double"'))).toEqual([]);
  });

  it("leaves out the generic key header with genericApiKeyHeader false", () => {
    const spec = generateOpenAPISpec({ agents: { a: talker() }, genericApiKeyHeader: false });

    expect(JSON.stringify(spec)).not.toContain("x-api-key");
    expect(spec.paths["/agents/a/run"]?.post?.security).not.toContainEqual({ anyKey: [] });
  });

  it("describes forms for agents and teams where the router takes them", () => {
    const options = { agents: { a: talker() }, workflows: { w: counter() } };
    const typesOf = ({ paths }: OpenApiSpec) => {
      return ["/agents/a/run", "/agents/a/stream", "/workflows/w/run"].map((path) => {
        return Object.keys(paths[path]?.post?.requestBody?.content ?? {}).length;
      });
    };

    expect(typesOf(generateOpenAPISpec(options))).toEqual([1, 1, 1]);
    expect(typesOf(generateOpenAPISpec({ ...options, fileUpload: true }))).toEqual([2, 2, 1]);
  });

  it("contains no instructions, tools or models", () => {
    const agent = talker("Hi.", { instructions: "The secret plan." });

    const document = JSON.stringify(generateOpenAPISpec({ agents: { agent } }));

    expect(document).not.toMatch(/secret plan/);
    expect(document).not.toContain(process.cwd());
    expect(document).not.toContain("servers");
  });

  it("escapes Markdown in names and descriptions", () => {
    const agent = talker("Hi.", { description: "<img src=//x.test> [a](https://x.test) *b*" });

    const description = generateOpenAPISpec({ agents: { agent } }).paths["/agents/agent/run"]?.post?.description;

    expect(description).toBe("\\<img src=//x.test\\> \\[a\\](https\u{200b}://x.test) \\*b\\*");
  });
});

describe("the options of the docs", () => {
  it("[http.docs-title] [http.docs-version] default to the title Service API and the version 1.0.0", () => {
    expect(generateOpenAPISpec().info).toMatchObject({ title: "Service API", version: "1.0.0" });
    expect(generateOpenAPISpec({ swagger: { title: "Desk", version: "2.1.0" } }).info).toMatchObject({
      title: "Desk",
      version: "2.1.0",
    });
  });

  it("[http.docs-description] [http.docs-servers] set the description and the servers", () => {
    const servers = [{ url: "https://example.com/api", description: "For all." }];

    const spec = generateOpenAPISpec({}, { description: "All agents.", servers });

    expect(spec.info.description).toBe("All agents.");
    expect(generateOpenAPISpec({}, { servers }).info).not.toHaveProperty("description");
    expect(generateOpenAPISpec().info).toEqual({ title: "Service API", version: "1.0.0" });
    expect(spec.servers).toEqual(servers);
  });

  it("[http.docs-route-prefix] set a prefix for each path", () => {
    const { paths } = generateOpenAPISpec({ agents: { a: talker() } }, { routePrefix: "/api/v1" });

    for (const path of Object.keys(paths)) expect(path).toMatch(/^\/api\/v1\//);
    expect(paths["/api/v1/agents/a/run"]).toBeDefined();
  });

  it("[http.openapi-code] can be given as the second argument, which counts before the option swagger", () => {
    const options = { swagger: { title: "Of the router" } };

    expect(generateOpenAPISpec(options).info.title).toBe("Of the router");
    expect(generateOpenAPISpec(options, { title: "Another" }).info.title).toBe("Another");
  });

  it.each([
    [{ titel: "x" }, "titel"],
    [{ title: "" }, "swagger.title"],
    [{ version: 1 }, "swagger.version"],
    [{ description: 1 }, "swagger.description"],
    [{ enabled: "yes" }, "swagger.enabled"],
    [{ docsPath: "docs" }, "swagger.docsPath"],
    [{ docsPath: "/" }, "swagger.docsPath"],
    [{ docsPath: "/docs/" }, "swagger.docsPath"],
    [{ docsPath: "/:docs" }, "swagger.docsPath"],
    [{ docsPath: "/a/../b" }, "swagger.docsPath"],
    [{ docsPath: "/agents/docs" }, "swagger.docsPath"],
    [{ specPath: "/Health" }, "swagger.specPath"],
    [{ specPath: "/docs" }, "swagger.specPath"],
    [{ routePrefix: "api" }, "swagger.routePrefix"],
    [{ servers: "https://example.com" }, "swagger.servers"],
    [{ servers: [{}] }, "swagger.servers"],
    [{ servers: [null] }, "swagger.servers"],
    [{ servers: [{ url: "/", name: "x" }] }, "swagger.servers"],
  ])("are refused by name where they are wrong: %j", (swagger, named) => {
    expect(() => generateOpenAPISpec({ swagger: swagger as object })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(named) as string }),
    );
  });
});

describe("the field webhook", () => {
  it("is described where the host lets callers name a webhook, and nowhere else [webhooks.callers]", () => {
    const fieldsIn = (options: Parameters<typeof generateOpenAPISpec>[0]) => {
      const { components, paths } = generateOpenAPISpec(options);
      const flow = paths["/workflows/w/run"]?.["post"]?.requestBody?.content["application/json"]?.schema;
      return [components.schemas["RunRequest"], flow].map((schema) => Object.keys(schema?.properties ?? {}));
    };
    const allowed = fieldsIn(hookedService);
    const plain = fieldsIn({ agents: { a: talker() }, workflows: { w: counter() } });

    for (const fields of allowed) expect(fields).toContain("webhook");
    for (const fields of plain) expect(fields).not.toContain("webhook");
  });
});
