import { seededRandom } from "@troupe-internal/fault-tools";
import type { ChatMessage, ModelProvider, ToolCall } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/adapter";
import { expect, it } from "vitest";
import { startVendor } from "../test/vendor.ts";

type Random = () => number;

const ids = ["a", "b", "call:1", "call_1", "", "ü"];
const names = ["look", "a.b", "1st", "constructor", ""];
const texts = ["Hello", " ", "", "More.\n", null];

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)] as Value;
}

function someCalls(random: Random): ToolCall[] {
  const count = Math.floor(random() * 4);
  return Array.from({ length: count }, () => ({ id: pick(random, ids), name: pick(random, names), arguments: {} }));
}

/** What another vendor's model, a broken store or a careless caller may leave. */
function anyMessage(random: Random): ChatMessage {
  const role = pick(random, ["user", "assistant", "tool", "system"] as const);
  const content = pick(random, texts);
  if (role === "tool") return { role, content, toolCallId: pick(random, ids) };
  return role === "assistant" ? { role, content, toolCalls: someCalls(random) } : { role, content };
}

/** What the model itself says to the history so far, with some of the results it asks for, in any order. */
async function ownTurn(model: ModelProvider, history: readonly ChatMessage[], random: Random): Promise<ChatMessage[]> {
  const { text, toolCalls, vendorState } = await model.generate(history);
  const answer: ModelMessage = { role: "assistant", content: text, toolCalls, ...(vendorState && { vendorState }) };
  const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "done" }));
  const kept = results.filter(() => random() < 0.8);
  return [answer, ...(random() < 0.5 ? kept : kept.toReversed())];
}

it.each(["gemini-3.8-flash", "gemini-2.5-flash"])(
  "makes of any history at all one that %s takes, its own signed answers among it",
  async (modelId) => {
    const { vendor, connect } = await startVendor();
    const model = connect(modelId);
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seededRandom(seed);
      vendor.respond(() => {
        const toolCalls = Array.from({ length: Math.floor(random() * 3) }, () => ({
          name: "look",
          arguments: { seed },
        }));
        return { answer: { text: pick(random, ["", "So."]), toolCalls } };
      });
      // Something that the user said: a history of nothing is refused before it is sent.
      const history: ChatMessage[] = [{ role: "user", content: "And now?" }];
      for (let turn = 0; turn < 8; turn += 1) {
        const isOwn = random() < 0.4;
        history.push(...(isOwn ? await ownTurn(model, history, random) : [anyMessage(random)]));
      }
      await model.generate(history);
    }

    expect(vendor.exchanges.length).toBeGreaterThan(300);
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  },
);
