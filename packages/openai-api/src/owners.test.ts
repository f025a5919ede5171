import { RunService } from "@troupe/core/runs";
import { InMemoryStorage } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { scripted, teller, weatherTool, weatherTurns } from "../test/agents.ts";
import { serve } from "../test/serve.ts";
import type { TestApi } from "../test/serve.ts";
import { toResponseId } from "./wire/ids.ts";

/** The ways to name a response of another caller: every endpoint that takes an id. */
const ways: readonly (readonly [
  name: string,
  call: (api: TestApi, id: string, headers: Record<string, string>) => Promise<number>,
])[] = [
  ["retrieve", async ({ ask }, id, headers) => (await ask(`/v1/responses/${id}`, { headers })).status],
  ["stream", async ({ ask }, id, headers) => (await ask(`/v1/responses/${id}?stream=true`, { headers })).status],
  ["input_items", async ({ ask }, id, headers) => (await ask(`/v1/responses/${id}/input_items`, { headers })).status],
  [
    "cancel",
    async ({ ask }, id, headers) => (await ask(`/v1/responses/${id}/cancel`, { method: "POST", headers })).status,
  ],
  ["delete", async ({ ask }, id, headers) => (await ask(`/v1/responses/${id}`, { method: "DELETE", headers })).status],
  [
    "previous_response_id",
    async ({ post }, id, headers) =>
      (await post("/v1/responses", { model: "helper", input: "And?", previous_response_id: id }, headers)).status,
  ],
];

/** The ways to make a response: each leaves another kind of record. */
const kinds = [
  ["a turn", {}],
  ["a stored run", { background: true }],
] as const;

const callers = ["ada", "bob", undefined] as const;
const headersOf = (user: string | undefined): Record<string, string> =>
  user === undefined ? {} : { authorization: `Bearer u-${user}` };

describe.each(kinds)("%s of a caller", (_kind, more) => {
  it.each(ways)("is not found by any other caller: %s", async (way, call) => {
    const agent = teller({ name: "helper" });
    const api = await serve({ agents: { helper: agent } });
    for (const owner of callers) {
      const made = await api.post("/v1/responses", { model: "helper", input: "mine", ...more }, headersOf(owner));
      const { id } = made.json as { id: string };
      for (const other of callers) {
        // A run without a user is reached by its id alone, which nobody else can know.
        if (other === owner || (owner === undefined && "background" in more)) continue;
        expect([way, owner, other, await call(api, id, headersOf(other))]).toEqual([way, owner, other, 404]);
      }
      expect((await api.ask(`/v1/responses/${id}`, { headers: headersOf(owner) })).status).toBe(200);
    }
  });
});

describe("a run that the caller began over another protocol", () => {
  // A previous response only names its session, which may have runs of several protocols.
  const reading = ways.filter(([name]) => name !== "previous_response_id");

  it.each(reading)("is no response as long as it has no turn: %s", async (_, call) => {
    const agent = teller({ name: "helper" });
    const runs = new RunService({ storage: new InMemoryStorage(), agents: { helper: agent } });
    onTestFinished(async () => await runs.close());
    const api = await serve({ agents: { helper: agent }, runs });
    // The run stays queued, because its service performs no runs.
    const { runId } = await runs.accept({ kind: "agent", name: "helper", input: "mine", owner: { userId: "ada" } });
    const { sessionId } = await runs.get(runId, "host");
    const id = toResponseId({ sessionId, runId, part: 0 });

    expect(await call(api, id, headersOf("ada"))).toBe(404);
    expect((await runs.get(runId, "host")).status).toBe("queued");
  });
});

describe("two callers", () => {
  it("have conversations of one id apart from each other", async () => {
    const api = await serve({ agents: { helper: teller({ name: "helper" }) } });
    const say = async (user: string, input: string) =>
      (await api.as(user).responses.create({ model: "helper", input, conversation: "c" })).output_text;
    expect([await say("ada", "a1"), await say("bob", "b1"), await say("ada", "a2")]).toEqual(["a1", "b1", "a1; a2"]);
  });

  it("cannot answer each other's calls and approvals", async () => {
    const { tool, asked } = weatherTool({ needsApproval: true });
    const { agent } = scripted(weatherTurns, { tools: [tool] });
    const runs = new RunService({ storage: new InMemoryStorage(), agents: { helper: agent } });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    const api = await serve({ agents: { helper: agent }, runs }, { api: { chat: false } });
    const first = await api.as("ada").responses.create({ model: "helper", input: "Hi" });
    const id = first.output.find(({ type }) => type === "mcp_approval_request")?.id ?? "";
    const input = [{ type: "mcp_approval_response", approval_request_id: id, approve: true }] as const;
    const answer = api.as("bob").responses.create({ model: "helper", input: [...input] });
    await expect(answer).rejects.toMatchObject({ status: 404 });
    expect(asked).toEqual([]);
    expect((await api.as("ada").responses.create({ model: "helper", input: [...input] })).output_text).toBe(
      "It rains.",
    );
  });
});
