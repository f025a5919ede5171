import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it } from "vitest";
import { serve } from "../../test/serve.ts";

const rounds = [1, 2, 3];

/** Makes an agent that asks for an approval in each round. Its model gives each call the same id. */
function asker(): Agent {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { round: { type: "number" } } },
    needsApproval: true,
    execute: (args) => `Paid ${(args as { round: number }).round}.`,
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    const round = messages.filter(({ role }) => role === "tool").length + 1;
    if (round > rounds.length) return "All is paid.";
    return { text: `Round ${round}.`, toolCalls: [{ id: "call_0", name: "pay", arguments: { round } }] };
  });
  return new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() });
}

it("each response of a run that asks in several rounds has its own round alone, and is read again so", async () => {
  const { client } = await serve({ agents: { a: asker() } }, { api: { chat: false } });
  let response = await client.responses.create({ model: "a", input: "Pay." });
  for (const round of rounds) {
    expect(response.output_text).toBe(`Round ${round}.`);
    const requests = response.output.filter(({ type }) => type === "mcp_approval_request");
    expect(requests).toMatchObject([{ name: "pay", arguments: JSON.stringify({ round }) }]);
    const id = requests[0]?.id ?? "";
    const approval = { type: "mcp_approval_response", approval_request_id: id, approve: true } as const;
    const previous = { previous_response_id: response.id };
    response = await client.responses.create({ model: "a", input: [approval], ...previous });
    expect(response.output.filter(({ type }) => type === "mcp_call")).toMatchObject([
      { arguments: JSON.stringify({ round }), output: `Paid ${round}.` },
    ]);
    expect((await client.responses.retrieve(response.id)).output).toEqual(response.output);
  }
  expect(response.output_text).toBe("All is paid.");
});
