import { describe, expect, it } from "vitest";
import { compileSchemas } from "../../test/compile-schemas.ts";
import { toForm } from "../../test/forms.ts";
import { counter, desk, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";

describe("a body in the OpenAPI document", () => {
  it("[http.openapi-examples] has an example that runs as it stands, without a key, a user or a session", async () => {
    const options = {
      agents: { a: talker() },
      teams: { t: desk() },
      workflows: { w: counter() },
      fileUpload: true,
    };
    const service = await serve(options);
    const { paths } = generateOpenAPISpec(options);
    const bodies = Object.entries(paths).flatMap(([path, { post }]) =>
      Object.entries(post?.requestBody?.content ?? {}).map(([type, { example }]) => ({ path, type, example })),
    );

    // An answer is one to a run that waits, and a chat is stopped by its id.
    for (const { path, type, example } of bodies.filter((each) => !each.path.includes("{"))) {
      const isForm = type === "multipart/form-data";
      const body = isForm ? toForm(example as Record<string, string>) : JSON.stringify(example);
      const headers = isForm ? {} : { "content-type": type };
      const answer = await service.ask(path, { method: "POST", headers, body });

      expect(answer, `${path} with ${type}`).toMatchObject({ status: 200 });
      expect(JSON.stringify(example)).not.toMatch(/apiKey|sessionId|userId/);
    }
    expect(bodies.map(({ type }) => type).filter((type) => type !== "application/json")).toHaveLength(4);
  });

  it("is described, as a form, as it is taken: with an input, files or both, and no more files than the limit", () => {
    const spec = generateOpenAPISpec({ agents: { a: talker() }, fileUpload: { maxFiles: 3 } });
    const form = spec.paths["/agents/a/run"]?.post?.requestBody?.content["multipart/form-data"]?.schema ?? {};
    const { problemsOf } = compileSchemas(spec);
    const files = (count: number) => ({ files: Array.from({ length: count }, () => "x") });

    for (const right of [{ input: "Hi." }, files(1), { input: "", ...files(3) }])
      expect(problemsOf(form, right)).toEqual([]);
    for (const wrong of [{}, { input: " " }, files(0), files(4), { files: [""] }, { input: "Hi.", apiKey: "a b" }]) {
      expect(problemsOf(form, wrong), JSON.stringify(wrong)).not.toEqual([]);
    }
  });

  it.each(["A week in Oslo", " padded ", "x".repeat(200)])("may have the title %j", (title) => {
    const schemas = compileSchemas(generateOpenAPISpec({ agents: { a: talker() } }));

    expect(schemas.problems("SessionChange", { title })).toEqual([]);
  });

  it.each(["", " ", "two\nlines", "\u202eback", "x".repeat(201)])(
    "takes no title that the service refuses: %j",
    (title) => {
      const schemas = compileSchemas(generateOpenAPISpec({ agents: { a: talker() } }));

      expect(schemas.problems("SessionChange", { title })).not.toEqual([]);
    },
  );
});
