import { validate } from "@readme/openapi-parser";
import { describe, expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";
import type { OpenApiSpec } from "./open-api-spec.ts";

const served = { agents: { a: talker(), b: talker() }, teams: { t: desk() }, workflows: { w: counter() } };

function questionAt(spec: OpenApiSpec, path: string): string {
  return JSON.stringify(spec.paths[path]?.post?.requestBody?.content["application/json"]?.example);
}

function securityAt({ paths }: OpenApiSpec, method: "get" | "post", path: string) {
  return paths[path]?.[method]?.security;
}

describe("what the host tells the docs", () => {
  it("is the question for an agent or a team, and others have one that every agent can answer [http.docs-questions]", () => {
    const spec = generateOpenAPISpec(served, { questions: { a: "How is Oslo?", t: "Who is right?" } });

    for (const path of ["/agents/a/run", "/agents/a/stream"]) {
      expect(questionAt(spec, path)).toContain("How is Oslo?");
    }
    expect(questionAt(spec, "/teams/t/run")).toContain("Who is right?");
    expect(questionAt(spec, "/agents/b/run")).toContain("What can you help me with?");
  });

  it("is the ways to sign in: each operation but the probes takes one of them, with a key or none [http.docs-security]", async () => {
    const securitySchemes = {
      bearer: { type: "http", scheme: "bearer" },
      "our.cookie": { type: "apiKey", in: "cookie", name: "session" },
    } as const;
    const spec = generateOpenAPISpec(served, { securitySchemes });

    expect((await validate(structuredClone(spec) as never)).valid).toBe(true);
    expect(spec.components.securitySchemes).toMatchObject(securitySchemes);
    expect(securityAt(spec, "get", "/sessions")).toEqual([{ bearer: [] }, { "our.cookie": [] }]);
    const ofRun = securityAt(spec, "post", "/agents/a/run") ?? [];
    expect(ofRun).toContainEqual({ bearer: [] });
    expect(ofRun).toContainEqual({ "our.cookie": [], openaiKey: [] });
    for (const signed of ofRun) expect(Object.keys(signed).some((name) => name in securitySchemes)).toBe(true);
    expect(securityAt(spec, "get", "/health")).toEqual([]);
  });

  it("is no way to sign in: then each operation says that it takes a key or none, or needs nothing [http.docs-security]", () => {
    const { paths } = generateOpenAPISpec({ ...served, fileUpload: true });
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item).map(({ security }) => ({ path, security })),
    );

    for (const { path, security } of operations) {
      const takesKeys = /\/(run|stream)$/.test(path) && !path.includes("{");
      expect(security?.slice(0, 2), path).toEqual(takesKeys ? [{}, { openaiKey: [] }] : []);
    }
  });

  it("is whom to ask and the license of the service", () => {
    const contact = { name: "The desk", url: "https://example.com/desk" };
    const license = { name: "MIT" };

    expect(generateOpenAPISpec(served, { contact, license }).info).toMatchObject({ contact, license });
    expect(() => generateOpenAPISpec(served, { license: { name: "" } })).toThrow("license.name");
  });

  it.each<[string, object, string]>([
    ["a question for an unknown name [http.docs-questions]", { questions: { c: "Hm?" } }, '"c", which no agent'],
    ["a question for what every object has [http.docs-questions]", { questions: { toString: "Hm?" } }, '"toString"'],
    ["a blank question", { questions: { a: " " } }, "questions must be"],
    [
      "a scheme of an unknown type [http.docs-security]",
      { securitySchemes: { x: { type: "magic" } } },
      "securitySchemes must be",
    ],
    [
      "a scheme under a name of the service [http.docs-security]",
      { securitySchemes: { openaiKey: { type: "http" } } },
      "securitySchemes must be",
    ],
  ])("is refused: %s", (_, docs, message) => {
    expect(() => generateOpenAPISpec(served, docs)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error,
    );
  });
});
