import { Agent, Team, Workflow } from "@troupe/core";
import type { AgentConfig, ModelProvider } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { serve } from "../../test/serve.ts";

const canary = "canary-10.0.0.7/customers";
const failing = (): never => {
  throw new Error(`cannot reach ${canary}`);
};

/** A model whose stream breaks with a plain exception after its first word. */
const breaking: ModelProvider = {
  providerId: "own",
  modelId: "own-1",
  generate: async () => failing(),
  async *stream(): AsyncGenerator<ModelChunk> {
    yield { type: "text", text: "Take " };
    failing();
  },
};

function agent(name: string, config: Partial<AgentConfig> = {}): Agent {
  return new Agent({ name, model: new ScriptedModel().respond(() => "Hi."), retry: { maxRetries: 0 }, ...config });
}

const agents = {
  hook: agent("hook", { hooks: { beforeRun: failing } }),
  instructions: agent("instructions", { instructions: failing }),
  source: agent("source", { tools: [{ getTools: failing }] }),
  model: agent("model", { model: breaking }),
  guardrail: agent("guardrail", { guardrails: { output: [{ name: "strict", check: failing }] } }),
};
const desk = new Team({
  name: "desk",
  mode: "route",
  model: new ScriptedModel(),
  members: [agents.hook],
  retry: { maxRetries: 0 },
});
const step = new Workflow({ name: "step", initialState: {}, steps: [{ name: "query", run: failing }] });
const nested = new Workflow({ name: "nested", initialState: {}, steps: [{ name: "ask", agent: agents.model }] });

const paths = [
  ...Object.keys(agents).map((name) => `/agents/${name}`),
  "/teams/desk",
  "/workflows/step",
  "/workflows/nested",
];

describe("an exception in a part of the program", () => {
  it.each(paths)(
    "is hidden from the clients of %s, as JSON and in a stream, and is in the log [errors.hidden]",
    async (path) => {
      const service = await serve({ agents, teams: { desk }, workflows: { step, nested } });
      const body = path.startsWith("/workflows") ? {} : { input: "Hello" };
      const whole = await service.post(`${path}/run`, body);
      const stream = await service.post(`${path}/stream`, body);

      const general = { code: "internal", message: "Something went wrong in this service." };
      expect([whole.status, whole.json]).toMatchObject([500, { error: general }]);
      expect(stream.text).toContain(JSON.stringify(general).slice(0, -1));
      for (const { text, headers } of [whole, stream]) {
        expect(text + JSON.stringify([...headers])).not.toContain("canary");
      }
      const failures = service.lines.filter((line) => line.includes("A request failed"));
      expect(failures).toHaveLength(2);
      for (const line of failures) expect(line).toContain(canary);
    },
  );
});
