import { Agent, SessionStore } from "@troupe/core";
import type { AgentConfig, StorageDriver } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { expect } from "vitest";
import { instructions, startClaude, tools } from "./guide.ts";

/** Arguments whose members stand in no order that a storage would give them. */
const oddArguments = { name: "b", zone: { y: 1, x: [{ k: 2, j: 3 }] }, id: "a", "10": 1, "9": 2, an: null };

/**
 * Asks ten questions in one session of a storage, with a tool call in each turn, and expects each request to read the whole
 * request before it from the vendor's cache. An agent of its own for each turn, as a process of its own would have.
 */
export async function expectTenCachedTurns(storage: StorageDriver, config: Partial<AgentConfig> = {}): Promise<void> {
  const { vendor, model } = await startClaude();
  const session = { sessionId: createId(), userId: "ada" };
  for (let turn = 0; turn < 10; turn += 1) {
    const agent = new Agent({ name: "guide", model, tools, instructions, storage, ...config });
    vendor.say({ toolCalls: [{ name: "look_up_rooms", arguments: oddArguments }] }, "In room four.");
    await agent.run(`Where is picture ${turn}?`, session);
  }

  await new SessionStore(storage).deleteSession(session.sessionId, { owner: { userId: session.userId } });
  vendor.assertDone();
  const billed = vendor.exchanges.map((exchange) => exchange.billed);
  expect(billed).toHaveLength(20);
  expect(billed[0]?.promptTokens).toBeGreaterThan(2900);
  expect(billed.slice(1).map((usage) => usage?.cachedTokens)).toEqual(
    billed.slice(0, -1).map((usage) => usage?.promptTokens),
  );
}
