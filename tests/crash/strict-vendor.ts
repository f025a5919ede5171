import { seededRandom } from "@troupe-internal/fault-tools";
import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { Exchange, PlannedReply } from "@troupe-internal/vendor-fakes";

/** Starts a vendor that refuses invalid histories, calls the tool twice for each question, and answers with delays. */
export async function startStrictVendor(): Promise<FakeVendor> {
  const random = seededRandom(7);
  const vendor = await FakeVendor.start({ strict: true });
  return vendor.respond((exchange) => ({ ...turnFor(exchange), delivery: { delayMs: 2 + random() * 20 } }));
}

function turnFor({ request }: Exchange): PlannedReply {
  const { messages } = request.body as { messages: { role: string }[] };
  const words = [...JSON.stringify(messages).matchAll(/Question (#\d+#) of (nonce-[0-9a-f]{16})/g)].at(-1);
  const [, question = "", nonce = ""] = words ?? [];
  const last = messages.at(-1);
  const isLookedUp = last?.role === "tool" || JSON.stringify(last).includes("tool_result");
  if (isLookedUp) return { answer: `Answer ${question} of ${nonce}.` };
  const call = { name: "look_up", arguments: { topic: nonce } };
  return { answer: { toolCalls: [call, { ...call, arguments: { topic: `${nonce} ${question}` } }] } };
}
