import { Agent, defineTool, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../test/serve.ts";

const hi = [{ role: "user", content: "Hi" }];

/** Requests of each kind with a user of the client's own, and what a tool and a step then find in their context. */
async function askWith(metadata: Record<string, unknown> | undefined, user: object) {
  const seen: unknown[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object", properties: {} },
    execute: (_args, context) => `seen ${seen.push(context.metadata)}`,
  });
  const calls = Array.from({ length: 4 }, (_, at) =>
    at % 2 === 0 ? { toolCalls: [{ id: "c", name: "look", arguments: {} }] } : { text: "Yes." },
  );
  const agent = new Agent({ name: "helper", model: new ScriptedModel(...calls), tools: [look] });
  const flow = new Workflow({
    name: "flow",
    initialState: {},
    steps: [
      { name: "one", run: (_state: object, context: { metadata?: unknown }) => void seen.push(context.metadata) },
    ],
  });
  const served = { agents: { helper: agent }, workflows: { flow } };
  const { post } = await serve({ ...served, runOptions: () => (metadata === undefined ? {} : { metadata }) });
  const answers = [
    await post("/v1/chat/completions", { model: "helper", messages: hi, ...user }),
    await post("/v1/responses", { model: "helper", input: "Hi", ...user }),
    await post("/v1/chat/completions", { model: "flow", messages: hi, ...user }),
    await post("/v1/responses", { model: "flow", input: "Hi", ...user }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  return seen;
}

describe("the metadata that a host gives a run", () => {
  it.each([{ user: "claimed" }, { user: "" }])("has the host's own user in place of %j of the client", async (user) => {
    const metadata = { user: "host", plan: "pro" };

    expect(await askWith(metadata, user)).toEqual([metadata, metadata, metadata, metadata]);
  });

  it("has the user that the client names if the host names none", async () => {
    const metadata = { user: "Zoë", plan: "pro" };

    expect(await askWith({ plan: "pro" }, { user: "Zoë" })).toEqual([metadata, metadata, metadata, metadata]);
    expect(await askWith(undefined, { user: "Zoë" })).toEqual(Array.from({ length: 4 }, () => ({ user: "Zoë" })));
  });

  it("has no user if neither of them names one", async () => {
    expect(await askWith({ plan: "pro" }, {})).toEqual(Array.from({ length: 4 }, () => ({ plan: "pro" })));
  });
});
