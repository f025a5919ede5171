import { Agent, defineTool, InMemoryStorage, Team, TroupeError, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, readFrames } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";
import type { Service } from "../../test/serve-agent.ts";

const usage = { promptTokens: 7, completionTokens: 5, totalTokens: 12 };
const billed = { ...usage, providerMetrics: { note: "the vendor's own" } };
const gone = new TroupeError("model_failed", "The vendor is gone.");
const look = defineTool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "seen" });

/** An agent whose model is billed for the call of a tool, and then fails. */
function failing(): Agent {
  const model = new ScriptedModel({ toolCalls: [{ name: "look" }], usage: billed }, { error: gone });
  return new Agent({ name: "a", model, tools: [look], storage: new InMemoryStorage() });
}

async function serveFailing(): Promise<Service> {
  const teamModel = new ScriptedModel({ toolCalls: [{ name: "delegate_to_a" }], usage: billed }, { error: gone });
  const team = new Team({ name: "t", mode: "coordinate", model: teamModel, members: [failing()] });
  const steps = [{ name: "ask", agent: failing() }];
  const workflow = new Workflow({ name: "w", initialState: {}, steps });
  return await serve({ agent: failing(), teams: { t: team }, workflow });
}

const paths = ["/agents/a", "/teams/t", "/workflows/w"];

describe("the error of a run that was billed", () => {
  it.each(paths)("has its id and its usage, as the answer of %s/run [http.error-usage]", async (path) => {
    const response = await post(await serveFailing(), `${path}/run`, { body: '{"input":"Look."}' });

    expect(response.status).toBe(502);
    const { error } = (await response.json()) as { error: object };
    expect(error).toEqual({
      code: "model_failed",
      message: expect.any(String),
      runId: response.headers.get("x-run-id"),
      usage,
      requestId: response.headers.get("x-request-id"),
      ...(path === "/workflows/w" && { step: "ask" }),
    });
  });

  it.each(paths)("has its id and its usage, as the last event of %s/stream [http.error-usage]", async (path) => {
    const response = await post(await serveFailing(), `${path}/stream`, { body: '{"input":"Look."}' });
    const frames = await readFrames(response);

    const runId = response.headers.get("x-run-id");
    expect(frames.at(-1)?.data).toMatchObject({ type: "error", error: { code: "model_failed", runId, usage } });
    expect(JSON.stringify(frames.at(-1))).not.toContain("vendor's own");
  });

  it("has no usage where nothing was billed, and no id before a run has begun [http.error-usage]", async () => {
    const model = new ScriptedModel({ error: gone });
    const service = await serve({ agent: new Agent({ name: "a", model }) });

    const failed = (await (await post(service, "/agents/a/run")).json()) as { error: object };
    const refused = (await (await post(service, "/agents/a/run", { body: "{}" })).json()) as { error: object };

    expect(failed.error).toMatchObject({ code: "model_failed", runId: expect.any(String) });
    expect(failed.error).not.toHaveProperty("usage");
    expect(Object.keys(refused.error)).toEqual(["code", "message", "requestId"]);
  });
});
