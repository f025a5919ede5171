import { seededRandom } from "@troupe-internal/fault-tools";
import type { ChatMessage, ToolCall } from "@troupe/core";
import { expect, it } from "vitest";
import { startVendor } from "../test/vendor.ts";

type Random = () => number;

const ids = ["a", "b", "call:1", "call_1", "", "ü"];
const texts = ["Hello", " ", "", "More.\n"];
const roles = ["user", "assistant", "tool", "system"] as const;

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

function anyMessage(random: Random): ChatMessage {
  const role = pick(random, roles);
  const content = pick(random, [...texts, null]);
  if (role === "tool") return { role, content, toolCallId: pick(random, ids) };
  if (role !== "assistant" || random() < 0.4) return { role, content };
  const toolCalls = Array.from({ length: Math.floor(random() * 4) }, (): ToolCall => {
    return { id: pick(random, ids), name: pick(random, ["look", "a.b", "constructor"]), arguments: {} };
  });
  return { role, content, toolCalls };
}

it("makes of any history at all one that the vendor takes", async () => {
  const { vendor, connect } = await startVendor();
  vendor.respond(() => ({ answer: "Yes." }));
  const elder = connect("claude-haiku-4-5");
  const models = [connect("claude-opus-5-5"), elder];

  for (let seed = 1; seed <= 300; seed += 1) {
    const random = seededRandom(seed);
    const history = Array.from({ length: 1 + Math.floor(random() * 12) }, () => anyMessage(random));
    // Something that the user said: a history of nothing is refused before it is sent.
    history.splice(Math.floor(random() * history.length), 0, { role: "user", content: "And now?" });
    for (const model of models) await model.generate(history);
    await elder.generate(history, { reasoning: { enabled: true } });
  }

  expect(vendor.exchanges).toHaveLength(900);
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
});
