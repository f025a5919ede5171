import { CanarySearch } from "@troupe-internal/vendor-fakes";
import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { ApiKeys, TeamMode } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { agrees, opening, quoted, serverKey, startFive } from "./five-members.ts";
import type { FiveMembers, Lead } from "./five-members.ts";
import { askedOf, vendorNames } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

const modes: readonly TeamMode[] = ["coordinate", "route", "broadcast", "collaborate"];
const leads = modes.flatMap((mode) => vendorNames.map((orchestrator) => ({ mode, orchestrator })));

const canary = (place: string): string => `sk-canary-71c0a9e4d2-${place}`;
const five = Object.fromEntries(vendorNames.map((name) => [name, canary(name)])) as Record<VendorName, string>;
const { vertex: _, ...four } = five;
const search = new CanarySearch([...Object.values(five), canary("generic"), ...vendorNames.map(serverKey)]);

describe.each(leads)("a team of five vendors in mode $mode with an orchestrator at $orchestrator", (lead) => {
  it("sends each of five keys to its own vendor only", async () => {
    const team = await runTeam(lead, { apiKeys: five });

    expect(keysSeen(team)).toEqual(five);
    expect(strayKeys(team)).toEqual([]);
    expect(search.in(await team.traces())).toEqual([]);
  });

  it("sends a generic key to the orchestrator's vendor only, and their own keys to the others", async () => {
    const team = await runTeam(lead, { apiKey: canary("generic") });

    expect(keysSeen(team)).toEqual(Object.fromEntries(vendorNames.map((name) => [name, boundTo(name, lead)])));
    expect(strayKeys(team)).toEqual([]);
    expect(search.in(await team.traces())).toEqual([]);
  });
});

it.each(modes)("a team in mode %s sends Google's key to Vertex when Vertex has none of its own", async (mode) => {
  const team = await runTeam({ mode, orchestrator: "ollama" }, { apiKeys: four });

  expect(keysSeen(team)).toEqual({ ...five, vertex: five.google });
  expect(strayKeys(team)).toEqual([]);
});

/** Runs the team with each member picked, where the mode picks one, then with vendors that refuse their key. */
async function runTeam(lead: Lead, keys: { apiKey?: string; apiKeys?: ApiKeys }): Promise<FiveMembers> {
  const team = await startFive(lead);
  for (const picked of lead.mode === "route" ? vendorNames : ["openai" as const]) {
    team.vendor.plan(...opening(lead.mode, picked)).respond(() => agrees);
    await team.run(keys);
  }
  expect(team.vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  const another = lead.orchestrator === "openai" ? "anthropic" : "openai";
  team.vendor.plan(...opening(lead.mode, another)).respond(quotedBut(lead.orchestrator));
  await team.run(keys);
  team.vendor.assertDone();
  const traces = await team.traces();
  expect(traces).toContain("is left out");
  expect(traces).toContain("Umbrella?");
  expect(traces).toMatch(/unauthorized|model_failed/);
  return team;
}

function quotedBut(orchestrator: VendorName) {
  return (exchange: Exchange) => (askedOf(exchange) === orchestrator ? agrees : quoted(exchange));
}

/** Returns the keys that each vendor saw. */
function keysSeen({ vendor }: FiveMembers): Record<string, string | undefined> {
  const seen: Record<string, Set<string | undefined>> = {};
  for (const exchange of vendor.exchanges) (seen[askedOf(exchange) ?? "none"] ??= new Set()).add(exchange.key);
  return Object.fromEntries(Object.entries(seen).map(([name, keys]) => [name, [...keys].join(" and ")]));
}

/** Finds keys in requests anywhere but in the header for the vendor's key. */
function strayKeys({ vendor }: FiveMembers) {
  return vendor.exchanges.flatMap(({ key, request: { url, headers, body } }) => {
    const others = Object.values(headers).map((value) => (value?.replace(/^Bearer /, "") === key ? "" : value));
    return search.in([url, ...others, JSON.stringify(body)].join("\n"));
  });
}

/** Returns the generic key for the orchestrator's vendor; Google and Vertex count as one. */
function boundTo(name: VendorName, { orchestrator }: Lead): string {
  const family = (vendor: VendorName) => (vendor === "vertex" ? "google" : vendor);
  return family(name) === family(orchestrator) ? canary("generic") : serverKey(name);
}
