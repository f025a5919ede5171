import { seededRandom } from "@troupe-internal/fault-tools";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { expect, it } from "vitest";
import { startVendor } from "../test/vendor.ts";

const ids = ["a", "b", "call:1", ""];
const texts = ["Hello", " ", "", null];
const roles = ["user", "assistant", "tool", "system"] as const;

function pick<Value>(random: () => number, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

function anyMessage(random: () => number): ChatMessage {
  const [role, content] = [pick(random, roles), pick(random, texts)];
  if (role === "tool") return { role, content, toolCallId: pick(random, ids) };
  if (role !== "assistant" || random() < 0.4) return { role, content };
  const toCall = (): ToolCall => ({
    id: pick(random, ids),
    name: pick(random, ["look", "constructor"]),
    arguments: {},
  });
  return { role, content, toolCalls: Array.from({ length: Math.floor(random() * 4) }, toCall) };
}

it("makes of any history at all one that the server takes", async () => {
  const { vendor, connect } = await startVendor();
  vendor.respond(() => ({ answer: "Yes." }));
  const model = connect();

  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seededRandom(seed);
    const history = Array.from({ length: 1 + Math.floor(random() * 12) }, () => anyMessage(random));
    // Something that the user said: a history of nothing is refused before it is sent.
    history.splice(Math.floor(random() * history.length), 0, { role: "user", content: "And now?" });
    await model.generate(history);
  }

  expect(vendor.exchanges).toHaveLength(300);
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
});
