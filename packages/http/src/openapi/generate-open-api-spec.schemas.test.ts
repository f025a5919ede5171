import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../../test/serve.ts";
import { generateOpenAPISpec } from "./generate-open-api-spec.ts";
import type { OpenApiSpec } from "./open-api-spec.ts";

function runOf(spec: OpenApiSpec, path: string) {
  const operation = spec.paths[path]?.post;
  if (operation === undefined) throw new Error(`There is no ${path}.`);
  const answer = operation.responses["200"] as { content: Record<string, { schema: Record<string, unknown> }> };
  return { operation, answer: answer.content["application/json"]?.schema };
}

describe("the schemas of registered subjects", () => {
  const model = new ScriptedModel();

  it("include the structured output of an agent", () => {
    const structuredOutput = {
      type: "object",
      properties: { city: { type: ["string", "null"] }, days: { type: "integer", exclusiveMinimum: 0 } },
      required: ["city"],
      additionalProperties: false,
    } as const;
    const agent = new Agent({ name: "a", model, structuredOutput });

    expect(runOf(generateOpenAPISpec({ agents: { agent } }), "/agents/agent/run").answer).toMatchObject({
      properties: {
        structured: {
          type: "object",
          properties: {
            city: { type: "string", nullable: true },
            days: { type: "integer", minimum: 0, exclusiveMinimum: true },
          },
          required: ["city"],
          additionalProperties: false,
        },
      },
    });
  });

  it("include the output of a Standard Schema, where it can be told", () => {
    const schemaOf = (output: () => object) => ({
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: () => ({ type: "object" }), output },
      },
    });
    const agents = {
      telling: new Agent({ name: "a", model, structuredOutput: schemaOf(() => ({ type: "string" })) }),
      silent: new Agent({
        name: "b",
        model,
        structuredOutput: schemaOf(() => {
          throw new Error("A transformed value has no schema.");
        }),
      }),
    };

    const spec = generateOpenAPISpec({ agents });

    expect(runOf(spec, "/agents/telling/run").answer).toMatchObject({ properties: { structured: { type: "string" } } });
    expect(runOf(spec, "/agents/silent/run").answer).toEqual({ $ref: "#/components/schemas/RunOutput" });
  });

  it("include the keys of a workflow's state with the kinds of their values", () => {
    const workflow = new Workflow({
      name: "w",
      initialState: { city: "Oslo", days: 2, dry: false, tags: [""], more: {}, answer: null },
      steps: [{ name: "add", run: () => ({}) }],
    });

    const { operation } = runOf(generateOpenAPISpec({ workflows: { w: workflow } }), "/workflows/w/run");

    expect(operation.requestBody?.required).toBe(false);
    expect(operation.requestBody?.content["application/json"]?.schema).toMatchObject({
      properties: {
        input: {
          oneOf: [
            {
              properties: {
                city: { type: "string" },
                days: { type: "number", format: "double" },
                dry: { type: "boolean" },
                tags: { type: "array" },
                more: { type: "object" },
                answer: {},
              },
              additionalProperties: false,
            },
            { type: "string" },
          ],
        },
      },
    });
    expect(JSON.stringify(operation)).not.toContain("Oslo");
  });

  it.each([
    ["of functions", { name: "add", run: () => ({}) }],
    ["of an agent", { name: "ask", agent: new Agent({ name: "a", model: new ScriptedModel().respond(() => "Ja.") }) }],
  ])("allow null for the input of a workflow %s, as the service does", async (_, step) => {
    const workflow = new Workflow({ name: "w", initialState: { city: "Oslo" }, steps: [step] });
    const { operation } = runOf(generateOpenAPISpec({ workflows: { w: workflow } }), "/workflows/w/run");
    type Nullable = { nullable?: boolean; oneOf?: Nullable[] };
    const body = operation.requestBody?.content["application/json"]?.schema as { properties: { input: Nullable } };
    const { input } = body.properties;
    const service = await serve({ workflows: { w: workflow } });

    expect([input, ...(input.oneOf ?? [])].some(({ nullable }) => nullable === true)).toBe(true);
    expect((await service.post("/workflows/w/run", { input: null })).status).toBe(200);
  });
});
