import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, vi } from "vitest";
import type { InspectedRunPage } from "../src/inspector/inspected-run.ts";
import { serveRuns } from "./runs.ts";
import { servePage, usersByHeader } from "./serve-page.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "Paid.",
});

/** An agent that asks before it pays with these arguments. */
function payer(args: Record<string, unknown>): Agent {
  const model = new ScriptedModel().respond(() => ({ toolCalls: [{ name: "pay", arguments: args }] }));
  return new Agent({ name: "payer", description: "Pays.", model, tools: [pay] });
}

it("a run in the list has the questions that it waits for, without secrets, for those alone who may see it [page.inbox] [page.inspector-secrets] [page.inspector-owner]", async () => {
  const open = { to: "Ålesund", note: null };
  const agents = { open: payer(open), secret: payer({ to: "Oslo", apiKey: "sk-canary" }) };
  const runs = await serveRuns({ agents });
  const begin = async (name: keyof typeof agents, userId: string) =>
    (await runs.accept({ kind: "agent", name, input: "Pay.", owner: { userId } })).runId;
  const [ofAda, ofBen] = [await begin("open", "ada"), await begin("secret", "ben")];
  await vi.waitUntil(async () => (await runs.list("host", { status: "waiting" })).runs.length === 2);
  const authorize = (request: { headers: Headers }) => request.headers.get("x-user") === "boss";
  const origin = await servePage({ inspector: { runs, authorize } }, usersByHeader);
  const listed = async (user: string) => {
    const response = await fetch(`${origin}/inspector/runs?status=waiting`, { headers: { "x-user": user } });
    const { runs: found } = (await response.json()) as InspectedRunPage;
    return Object.fromEntries(found.map(({ runId, openWaits }) => [runId, openWaits]));
  };

  const whole = [
    { waitId: "t.0.0", kind: "approval", about: expect.objectContaining({ toolName: "pay", args: open }) },
  ];
  const cut = {
    waitId: "t.0.0",
    kind: "approval",
    isCut: true,
    about: expect.objectContaining({ args: { to: "Oslo", apiKey: "[redacted]" } }),
  };
  expect(await listed("boss")).toEqual({ [ofAda]: whole, [ofBen]: [cut] });
  expect(await listed("ada")).toEqual({ [ofAda]: whole });
  expect(await listed("ben")).toEqual({ [ofBen]: [cut] });
  expect(await listed("eve")).toEqual({});
});
